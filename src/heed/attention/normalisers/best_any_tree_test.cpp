// SPDX-License-Identifier: Apache-2.0
// Best trees whose circles lie within circles.
#include "heed/attention/normalisers/best_any_tree.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/table_structure_testing.h"

namespace heed::attention {
namespace {

TEST(BestAnyTree, OpensACircleWhereItCostsLeast) {
  // 0 and 1 want each other; the root costs 0 five and 1 three.
  const auto found = best_any_tree(std::vector<double>{-5, 0, 0, -3}, 2, Roots::many);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choices, (Choices{1, 1}));
  EXPECT_FALSE(found->tied);
}

TEST(BestAnyTree, OpensCirclesWithinCircles) {
  // 0 and 1 want each other, then 2 and both, then 3 and all of these; the way in is over 2.
  const std::vector<double> scores = {-20, 9, 7, 1, 9, -20, 1, 1, 8, 1, -12, 6, 1, 1, 8, -20};
  const auto found = best_any_tree(scores, 4, Roots::many);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choices, (Choices{2, 0, 2, 2}));
}

// However much better two roots are, one is asked for; and no digit of the scores is lost to that.
TEST(BestAnyTree, HasOneRootWhateverItCosts) {
  const std::vector<double> scores = {1e9, 0, 1e-9, 1e9};
  EXPECT_EQ(best_any_tree(scores, 2, Roots::many)->choices, (Choices{0, 1}));
  EXPECT_EQ(best_any_tree(scores, 2, Roots::one)->choices, (Choices{0, 0}));
  const std::vector<double> apart = {0, -INFINITY, -INFINITY, 0};
  EXPECT_TRUE(best_any_tree(apart, 2, Roots::many));
  EXPECT_FALSE(best_any_tree(apart, 2, Roots::one));
}

TEST(BestAnyTree, SaysWhereTwoWaysWereEqual) {
  EXPECT_TRUE(best_any_tree(std::vector<double>(9), 3, Roots::one)->tied);
}

}  // namespace
}  // namespace heed::attention
