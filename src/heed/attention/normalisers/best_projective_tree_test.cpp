// SPDX-License-Identifier: Apache-2.0
// Best trees whose arcs may not cross.
#include "heed/attention/normalisers/best_projective_tree.h"

#include <gtest/gtest.h>

#include "heed/attention/normalisers/best_any_tree.h"
#include "heed/attention/table_structure_testing.h"

namespace heed::attention {
namespace {

// 3 -> 1 and 0 -> 2 are worth most and cross: the tree does without the lesser one.
TEST(BestProjectiveTree, LeavesOutTheLesserOfTwoArcsThatCross) {
  std::vector<double> scores(16);
  scores[0] = 9;          // 0 is the root
  scores[3 * 4 + 0] = 9;  // 0 -> 3
  scores[1 * 4 + 3] = 5;  // 3 -> 1
  scores[2 * 4 + 0] = 4;  // 0 -> 2
  EXPECT_EQ(best_any_tree(scores, 4, Roots::one)->choices, (Choices{0, 3, 0, 0}));
  const auto found = best_projective_tree(scores, 4, Roots::one);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choices[1], 3);
  EXPECT_NE(found->choices[2], 0);
}

TEST(BestProjectiveTree, LetsNoArcSpanARoot) {
  // 2 -> 0 would pass over the root 1.
  std::vector<double> scores(9, -1);
  scores[0 * 3 + 2] = 5;
  scores[1 * 3 + 1] = 9;
  for (const Roots roots : {Roots::one, Roots::many}) {
    const auto found = best_projective_tree(scores, 3, roots);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->choices[1], 1);
    EXPECT_NE(found->choices[0], 2);
  }
}

}  // namespace
}  // namespace heed::attention
