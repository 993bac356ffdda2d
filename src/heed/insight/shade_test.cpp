// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/shade.h"

#include <gtest/gtest.h>

#include <limits>

namespace heed::insight {
namespace {

TEST(Shaded, IsLighterForALargerShareAndOfAnotherHueBelowZero) {
  EXPECT_EQ(shaded("a", 0, Colour::full), "\x1b[38;5;231;48;2;16;20;32ma\x1b[0m");
  EXPECT_EQ(shaded("a", 1, Colour::full), "\x1b[38;5;16;48;2;215;245;250ma\x1b[0m");
  EXPECT_EQ(shaded("a", -1, Colour::full), "\x1b[38;5;16;48;2;255;228;200ma\x1b[0m");
  EXPECT_EQ(shaded("a", 1, Colour::indexed), "\x1b[38;5;16;48;5;195ma\x1b[0m");
  EXPECT_EQ(shaded("a", 1, Colour::none), "a");
}

TEST(WeightText, TakesFiveColumnsAtMost) {
  EXPECT_EQ(weight_text(.531), ".53");
  EXPECT_EQ(weight_text(-.07), "-.07");
  EXPECT_EQ(weight_text(1), "1.0");
  EXPECT_EQ(weight_text(0), "0");
  EXPECT_EQ(weight_text(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_LE(weight_text(-123456).size(), 6u);
}

}  // namespace
}  // namespace heed::insight
