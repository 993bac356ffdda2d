// SPDX-License-Identifier: Apache-2.0
// The distance score by hand, at the query itself, and with a deviation.
#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(DistanceScore, IsTheNegativeSquaredDistanceOverTwiceTheVariance) {
  const auto part =
      made_score("distance", {{"deviation", "2"}}, {.query_width = 2, .key_width = 2});
  const Tensor query = Tensor::of({1, 1, 1, 2}, {1, 1});
  const Tensor keys = Tensor::of({1, 1, 3, 2}, {1, 1, 4, 5, 1, -1});
  expect_near(first_scores(*part, query, keys), Tensor::of({1, 1, 1, 3}, {0, -25.0 / 8, -0.5}),
              1e-5);
}

TEST(DistanceScore, LearnsADeviationPerHead) {
  auto part = made_score("distance", {{"learnable", "true"}},
                         {.query_width = 1, .key_width = 1, .heads = 2});
  set_parameter(*part, "sigma", Tensor::of({2, 1}, {1, 2}));
  const Tensor query = Tensor::of({1, 2, 1, 1}, {0, 0});
  expect_near(first_scores(*part, query, Tensor::of({1, 1, 1, 1}, {4})),
              Tensor::of({1, 2, 1, 1}, {-8, -2}), 1e-5);
}

}  // namespace
}  // namespace heed::attention
