// SPDX-License-Identifier: Apache-2.0
// The cosine score: angles only, zero rows, strengths, rows of any length.
#include <cmath>

#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(CosineScore, IsStrengthTimesTheCosineWhateverTheLengths) {
  const auto part = made_score("cosine", {{"strength", "2"}}, {.query_width = 2, .key_width = 2});
  const Tensor query = Tensor::of({1, 1, 1, 2}, {3, 0});
  const Tensor keys = Tensor::of({1, 1, 4, 2}, {1, 0, 0, 9, -5, 0, 1e15, 1e15});
  const Real half = static_cast<Real>(std::sqrt(2.0));
  expect_near(first_scores(*part, query, keys), Tensor::of({1, 1, 1, 4}, {2, 0, -2, half}), 1e-6);
}

TEST(CosineScore, GivesAZeroRowTheScoreZero) {
  const auto part = made_score("cosine", {}, {.query_width = 2, .key_width = 2});
  const Tensor query = Tensor::of({1, 1, 1, 2}, {3, 1});
  expect_near(first_scores(*part, query, Tensor::zeros({1, 1, 1, 2})), Tensor::zeros({1, 1, 1, 1}),
              0);
}

TEST(CosineScore, LearnsAStrengthPerHeadFromTheGivenOneOn) {
  auto part = made_score("cosine", {{"strength", "3"}, {"learnable", "true"}},
                         {.query_width = 1, .key_width = 1, .heads = 2});
  const auto all = parameters_of(*part);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].first, "beta");
  set_parameter(*part, "beta", Tensor::of({2, 1}, {3, 5}));
  const Tensor query = Tensor::of({1, 2, 1, 1}, {1, 1});
  expect_near(first_scores(*part, query, Tensor::of({1, 1, 1, 1}, {7})),
              Tensor::of({1, 2, 1, 1}, {3, 5}), 1e-6);
}

}  // namespace
}  // namespace heed::attention
