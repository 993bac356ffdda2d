// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/terminal/shade.h"

#include <gtest/gtest.h>

#include <limits>

namespace heed::insight {
namespace {

constexpr Screen kFull{.colour = Colour::full};
constexpr Screen kIndexed{.colour = Colour::indexed};

TEST(Shaded, IsStrongerForALargerShareAndOfAnotherHueBelowZero) {
  EXPECT_EQ(shaded("a", 1, kFull), "\x1b[38;5;16;48;2;230;244;255ma\x1b[0m");
  EXPECT_EQ(shaded("a", -1, kFull), "\x1b[38;5;16;48;2;255;230;246ma\x1b[0m");
  EXPECT_EQ(shaded("a", 1, kIndexed), "\x1b[38;5;16;48;5;195ma\x1b[0m");
  EXPECT_EQ(shaded("a", 1, {}), "a");
  EXPECT_EQ(shaded("a", 1, {.colour = Colour::full, .theme = Theme::light}),
            "\x1b[38;5;231;48;2;8;48;107ma\x1b[0m");
}

TEST(Shaded, LeavesZerosBlankAndTintsTheSmallestWeights) {
  for (const Screen& screen : {kFull, kIndexed}) {
    for (const Theme theme : {Theme::dark, Theme::light}) {
      Screen themed = screen;
      themed.theme = theme;
      EXPECT_EQ(shaded("a", 0, themed), "a");
      EXPECT_NE(shaded("a", 1e-9, themed), "a");
    }
  }
  EXPECT_EQ(shaded(" ", 1e-9, kIndexed), "\x1b[38;5;231;48;5;17m \x1b[0m") << "blue, not black";
}

TEST(Hatched, IsStrokesThatNoWeightHas) {
  EXPECT_EQ(hatched(3, {}), "///");
  EXPECT_EQ(hatched(2, kFull), "\x1b[2m╱╱\x1b[0m");
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
