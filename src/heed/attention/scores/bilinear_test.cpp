// SPDX-License-Identifier: Apache-2.0
// The bilinear score by hand, and a matrix of its own for each head.
#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(BilinearScore, TakesQueryAndKeyThroughW) {
  auto part = made_score("bilinear", {}, {.query_width = 2, .key_width = 3});
  set_parameter(*part, "W", Tensor::of({2, 3}, {1, 0, 2, 0, 3, 0}));
  const Tensor query = Tensor::of({1, 1, 1, 2}, {1, 10});
  const Tensor keys = Tensor::of({1, 1, 2, 3}, {1, 0, 0, 1, 1, 1});
  // q W = (1, 30, 2)
  expect_near(first_scores(*part, query, keys), Tensor::of({1, 1, 1, 2}, {1, 33}), 1e-6);
}

TEST(BilinearScore, HasAMatrixForEachHeadAndSharesKeys) {
  auto part =
      made_score("bilinear", {}, {.query_width = 1, .key_width = 1, .heads = 2, .key_heads = 1});
  set_parameter(*part, "W", Tensor::of({2, 1, 1}, {2, -1}));
  const Tensor query = Tensor::of({1, 2, 1, 1}, {3, 3});
  const Tensor keys = Tensor::of({1, 1, 1, 1}, {5});
  expect_near(first_scores(*part, query, keys), Tensor::of({1, 2, 1, 1}, {30, -15}), 1e-6);
}

}  // namespace
}  // namespace heed::attention
