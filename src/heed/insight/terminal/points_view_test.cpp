// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/terminal/points_view.h"

#include <gtest/gtest.h>

namespace heed::insight {
namespace {

TEST(PointsView, ShowsNumbersWhereThePointsLieAndDotsBetween) {
  const corpora::Points points = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {.5, .5}};
  EXPECT_EQ(points_view(points, {0, 1, 2, 3}, {.columns = 13}),
            "4 · · · · · 3\n"
            "·           ·\n"
            "·           ·\n"
            "·     5     ·\n"
            "·           ·\n"
            "1 · · · · · 2\n");
  EXPECT_EQ(points_view({}, {}), "");
  EXPECT_EQ(points_view({{2, 3}}, {0}), "1\n");
}

}  // namespace
}  // namespace heed::insight
