// SPDX-License-Identifier: Apache-2.0
#include "server/http/log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace heed::server {
namespace {

const HttpRequest kRequest{.method = "POST",
                           .path = "/v1/translate",
                           .body = "private\n\xff",
                           .client = "127.0.0.1",
                           .id = "7f"};
const Finished kOutcome{.status = 200, .seconds = .0123, .bytes = 45, .model = "en-fr"};

TEST(Log, LeavesOutWhatClientsWrote) {
  const Log log({.form = LogForm::plain});
  EXPECT_EQ(log.line(kRequest, "/v1/translate", kOutcome, "T"),
            "T 7f 127.0.0.1 POST /v1/translate 200 12.30 ms 45 B en-fr");
  // A path that is no route is a client's text, and so is a method.
  EXPECT_EQ(log.line({.method = "secret", .path = "/secret", .client = "::1", .id = "8"}, "other",
                     {.status = 404}, "T"),
            "T 8 ::1 ? other 404 0.00 ms 0 B -");
  EXPECT_EQ(log.line({.client = "::1", .id = "9"}, "unread", {.status = 503}, "T"),
            "T 9 ::1 ? unread 503 0.00 ms 0 B -");
  const std::string line =
      Log({.form = LogForm::json})
          .line({.method = "secret", .path = "/secret", .body = "secret"}, "other", kOutcome, "T");
  EXPECT_EQ(line.find("secret"), std::string::npos) << line;
}

TEST(Log, HoldsItWhenAskedOnOneLine) {
  const Log plain({.form = LogForm::plain, .text = true});
  EXPECT_EQ(plain.line(kRequest, "/v1/translate", kOutcome, "T"),
            "T 7f 127.0.0.1 POST /v1/translate 200 12.30 ms 45 B en-fr \"private\\n\xEF\xBF\xBD\"");
  const Log log({.form = LogForm::json, .text = true});
  const auto line = nlohmann::json::parse(log.line(kRequest, "/v1/translate", kOutcome, "T"));
  EXPECT_EQ(line["ms"], 12.3);
  EXPECT_EQ(line["request_id"], "7f");
  EXPECT_EQ(line["model"], "en-fr");
  EXPECT_EQ(line["status"], 200);
  EXPECT_EQ(line["body"], "private\n\xEF\xBF\xBD");
}

}  // namespace
}  // namespace heed::server
