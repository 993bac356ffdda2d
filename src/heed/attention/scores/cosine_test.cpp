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

TEST(CosineScore, AsksTheQueryForItsStrength) {
  auto part = made_score("cosine", {{"strength", "query"}}, {.query_width = 2, .key_width = 2});
  set_parameter(*part, "strength.W", Tensor::of({1, 2}, {0, 1}));
  set_parameter(*part, "strength.b", Tensor::of({1}, {1}));
  const Tensor query = Tensor::of({1, 1, 2, 2}, {2, 0, 0, 3});
  const Tensor keys = Tensor::of({1, 1, 2, 2}, {5, 0, 0, 7});
  const auto softplus = [](double x) { return static_cast<Real>(std::log1p(std::exp(x))); };
  expect_near(first_scores(*part, query, keys),
              Tensor::of({1, 1, 2, 2}, {softplus(1), 0, 0, softplus(4)}), 1e-5);
  EXPECT_THROW(made_score("cosine", {{"strength", "query"}, {"learnable", "true"}},
                          {.query_width = 2, .key_width = 2}),
               UsageError);
}

TEST(CosineScore, ComparesKeysWithAProjectionOfQueriesOfAnotherWidth) {
  EXPECT_THROW(made_score("cosine", {}, {.query_width = 3, .key_width = 2}), UsageError);
  auto part = made_score("cosine", {{"project", "true"}}, {.query_width = 3, .key_width = 2});
  set_parameter(*part, "W", Tensor::of({2, 3}, {1, 0, 0, 0, 0, 1}));
  expect_near(first_scores(*part, Tensor::of({1, 1, 1, 3}, {0, 8, 4}),
                           Tensor::of({1, 1, 2, 2}, {1, 0, 0, 2})),
              Tensor::of({1, 1, 1, 2}, {0, 1}), 1e-6);
}

TEST(CosineScore, CountsRowsMuchShorterThanTheRootOfEpsilonForLittle) {
  // Rows of 1e-6, width 20: .976 with 1e-12, .0045 with 1e-6.
  for (const auto& [epsilon, score] : {std::pair{"1e-12", 0.976}, {"1e-6", 0.0045}}) {
    const auto part =
        made_score("cosine", {{"epsilon", epsilon}}, {.query_width = 20, .key_width = 20});
    EXPECT_NEAR(
        first_scores(*part, Tensor::full({1, 1, 1, 20}, 1), Tensor::full({1, 1, 1, 20}, Real(1e-6)))
            .data()[0],
        score, 5e-4)
        << epsilon;
  }
}

}  // namespace
}  // namespace heed::attention
