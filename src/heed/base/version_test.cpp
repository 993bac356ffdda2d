// SPDX-License-Identifier: Apache-2.0
#include "heed/version.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Version, IsTheSameInHeadersLibraryAndBuild) {
  EXPECT_EQ(version(),
            fmt::format("{}.{}.{}", HEED_VERSION_MAJOR, HEED_VERSION_MINOR, HEED_VERSION_PATCH));
  EXPECT_STREQ(version(), HEED_VERSION);
  EXPECT_EQ(version_number(), HEED_VERSION_NUMBER);
}

}  // namespace
}  // namespace heed
