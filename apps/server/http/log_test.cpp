// SPDX-License-Identifier: Apache-2.0
#include "server/http/log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace heed::server {
namespace {

const HttpRequest kRequest{
    .method = "POST", .path = "/v1/translate", .body = "private\n\xff", .client = "127.0.0.1"};
const LoggedRequest kOutcome{.status = 200, .seconds = .0123, .bytes = 45};

TEST(Log, LeavesOutWhatClientsWrote) {
  const Log log({.form = LogForm::plain});
  EXPECT_EQ(log.line(kRequest, "/v1/translate", kOutcome, "T"),
            "T 127.0.0.1 POST /v1/translate 200 12.30 ms 45 B");
  // A path that is no route is a client's text, and so is a method.
  EXPECT_EQ(
      log.line({.method = "secret", .path = "/secret", .client = "::1"}, "other", kOutcome, "T"),
      "T ::1 ? other 200 12.30 ms 45 B");
  const std::string line =
      Log({.form = LogForm::json})
          .line({.method = "secret", .path = "/secret", .body = "secret"}, "other", kOutcome, "T");
  EXPECT_EQ(line.find("secret"), std::string::npos) << line;
}

TEST(Log, HoldsItWhenAskedOnOneLine) {
  const Log plain({.form = LogForm::plain, .text = true});
  EXPECT_EQ(plain.line(kRequest, "/v1/translate", kOutcome, "T"),
            "T 127.0.0.1 POST /v1/translate 200 12.30 ms 45 B \"private\\n\xEF\xBF\xBD\"");
  const Log log({.form = LogForm::json, .text = true});
  const auto line = nlohmann::json::parse(log.line(kRequest, "/v1/translate", kOutcome, "T"));
  EXPECT_EQ(line["ms"], 12.3);
  EXPECT_EQ(line["status"], 200);
  EXPECT_EQ(line["body"], "private\n\xEF\xBF\xBD");
}

}  // namespace
}  // namespace heed::server
