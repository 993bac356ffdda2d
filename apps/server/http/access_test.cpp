// SPDX-License-Identifier: Apache-2.0
#include "server/http/access.h"

#include <gtest/gtest.h>

#include "server/http/http_error.h"

namespace heed::server {
namespace {

int status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const HttpError& error) {
    return error.status();
  }
  return 200;
}

TEST(Access, ComparesTextsWhole) {
  EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
  EXPECT_TRUE(equal_in_constant_time("", ""));
  for (const char* other : {"", "s", "secres", "Secret", "secretsecret", "secre"}) {
    EXPECT_FALSE(equal_in_constant_time("secret", other)) << other;
    EXPECT_FALSE(equal_in_constant_time(other, "secret")) << other;
  }
}

TEST(Access, AsksForTheToken) {
  const Access access({.token = "secret"});
  const auto status = [&](const std::string& header) {
    return status_of([&] { access.check_token({.headers = {{"authorization", header}}}); });
  };
  EXPECT_EQ(status("Bearer secret"), 200);
  EXPECT_EQ(status("bearer secret"), 200);
  for (const char* wrong :
       {"", "secret", "Bearer ", "Bearer secret2", "Bearer  secret", "Basic secret", "Bearer"}) {
    EXPECT_EQ(status(wrong), 401) << wrong;
  }
  EXPECT_NO_THROW(Access({}).check_token({}));
}

TEST(Access, AnswersToItsOwnNamesOnly) {
  const Access access({.hosts = {"localhost", "::1"}});
  const auto status = [&](const std::string& host) {
    return status_of([&] { access.check_host({.headers = {{"host", host}}}); });
  };
  for (const char* right : {"localhost", "localhost:8080", "LOCALHOST:1", "[::1]:8080"}) {
    EXPECT_EQ(status(right), 200) << right;
  }
  for (const char* wrong : {"", "evil.example", "localhost.evil.example", "127.0.0.1"}) {
    EXPECT_EQ(status(wrong), 403) << wrong;
  }
  EXPECT_NO_THROW(Access({}).check_host({}));
}

TEST(Access, CountsTheRequestsOfEachClient) {
  Access access({.requests_per_client = 2});
  const Access::Place first = access.enter("a");
  {
    const Access::Place second = access.enter("a");
    EXPECT_EQ(status_of([&] { access.enter("a"); }), 429);
    EXPECT_EQ(status_of([&] { access.enter("b"); }), 200);
  }
  EXPECT_EQ(status_of([&] { access.enter("a"); }), 200);  // the second is over
}

}  // namespace
}  // namespace heed::server
