// SPDX-License-Identifier: Apache-2.0
// The dot score by hand, with grouped heads, and widths that do not fit.
#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(DotScore, IsTheProductOfQueryAndKey) {
  const auto part = made_score("dot", {}, {.query_width = 2, .key_width = 2});
  const Tensor query = Tensor::of({1, 1, 2, 2}, {1, 2, -1, 0.5});
  const Tensor keys = Tensor::of({1, 1, 3, 2}, {1, 0, 0, 1, 2, 4});
  expect_near(first_scores(*part, query, keys), Tensor::of({1, 1, 2, 3}, {1, 2, 10, -1, 0.5, 0}),
              1e-6);
}

TEST(DotScore, LetsTheHeadsOfAGroupReadOneKeyHead) {
  const auto part =
      made_score("dot", {}, {.query_width = 1, .key_width = 1, .heads = 4, .key_heads = 2});
  const Tensor query = Tensor::of({1, 4, 1, 1}, {1, 2, 3, 4});
  const Tensor keys = Tensor::of({1, 2, 1, 1}, {10, 100});
  expect_near(first_scores(*part, query, keys), Tensor::of({1, 4, 1, 1}, {10, 20, 300, 400}), 0);
}

TEST(DotScore, RefusesTwoWidths) {
  EXPECT_EQ(
      message_of([] { made_score("dot", {}, {.query_width = 2, .key_width = 3}); }),
      "dot: queries of width 2 and keys of width 3; make them equal, or take a score that has "
      "weights between them (heed mechanisms lists all)");
}

}  // namespace
}  // namespace heed::attention
