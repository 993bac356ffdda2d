// SPDX-License-Identifier: Apache-2.0
#include "server/http/http_error.h"

#include <gtest/gtest.h>

namespace heed::server {
namespace {

TEST(HttpError, BecomesJsonWhateverItsMessageHolds) {
  EXPECT_EQ(error_body(HttpError({.status = 400, .where = "/beam"}, "no \"beam\""), "7f"),
            "{\"error\":{\"kind\":\"usage\",\"message\":\"no \\\"beam\\\"\",\"where\":\"/beam\","
            "\"request_id\":\"7f\"}}\n");
  EXPECT_EQ(error_body(HttpError({.status = 503}, "\xff"), "8"),
            "{\"error\":{\"kind\":\"busy\",\"message\":\"\xEF\xBF\xBD\",\"where\":\"\","
            "\"request_id\":\"8\"}}\n");
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
