// SPDX-License-Identifier: Apache-2.0
#include "server/api/error_forms.h"

#include <gtest/gtest.h>

namespace heed::server {
namespace {

using nlohmann::json;

TEST(ErrorForms, SayTheSameInTheWordsOfEach) {
  const HttpError error({.status = 400, .where = "/max_tokens"}, "too many");
  EXPECT_EQ(json::parse(heed_errors().body(error, "7f")),
            json::parse(R"({"error": {"kind": "usage", "message": "too many",
                                      "where": "/max_tokens", "request_id": "7f"}})"));
  EXPECT_EQ(json::parse(openai_errors().body(error, "7f")),
            json::parse(R"({"error": {"message": "too many", "type": "invalid_request_error",
                                      "param": "max_tokens", "code": "usage",
                                      "request_id": "7f"}})"));
}

TEST(ErrorForms, NameAParameterOnlyWhereAFieldIsToBlame) {
  const auto error_of = [](int status, const std::string& where) {
    return json::parse(
        openai_errors().body(HttpError({.status = status, .where = where}, "no"), ""))["error"];
  };
  EXPECT_EQ(error_of(401, "Authorization")["type"], "authentication_error");
  EXPECT_EQ(error_of(429, "client")["type"], "rate_limit_error");
  EXPECT_EQ(error_of(503, "queue")["type"], "server_error");
  for (const char* where : {"", "/", "queue", "/v1/completions"}) {
    EXPECT_TRUE(error_of(400, where)["param"].is_null()) << where;
  }
}

}  // namespace
}  // namespace heed::server
