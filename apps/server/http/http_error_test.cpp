// SPDX-License-Identifier: Apache-2.0
#include "server/http/http_error.h"

#include <gtest/gtest.h>

namespace heed::server {
namespace {

TEST(HttpError, BecomesJsonWhateverItsMessageHolds) {
  EXPECT_EQ(error_body(400, "no \"beam\"", "/beam"),
            "{\"error\":{\"kind\":\"usage\",\"message\":\"no \\\"beam\\\"\",\"where\":\"/beam\"}}"
            "\n");
  EXPECT_EQ(error_body(503, "\xff", ""),
            "{\"error\":{\"kind\":\"busy\",\"message\":\"\xEF\xBF\xBD\",\"where\":\"\"}}\n");
}

TEST(HttpError, KeepsStatusPlaceAndWhenToTryAgain) {
  const HttpError error({.status = 503, .where = "queue", .retry_seconds = 2}, "{} wait", 3);
  EXPECT_EQ(error.status(), 503);
  EXPECT_EQ(error.where(), "queue");
  EXPECT_EQ(error.retry_seconds(), 2);
  EXPECT_STREQ(error.what(), "3 wait");
  EXPECT_EQ(kind_of(418), "usage");
  EXPECT_EQ(kind_of(599), "internal");
}

}  // namespace
}  // namespace heed::server
