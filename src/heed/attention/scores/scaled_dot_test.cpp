// SPDX-License-Identifier: Apache-2.0
// The scaled dot score: the worked example of its divisor, and a scale of one's own.
#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

// Scores 112 and 96 divided by the root of 64 are 14 and 12; softmax gives .88 and .12.
TEST(ScaledDotScore, DividesByTheRootOfTheKeyWidth) {
  const auto part = made_score("scaled_dot", {}, {.query_width = 64, .key_width = 64});
  Tensor keys({1, 1, 2, 64});
  keys.slice(2, 0, 1).assign(Tensor::full({1, 1, 1, 64}, 1.75));
  keys.slice(2, 1, 2).assign(Tensor::full({1, 1, 1, 64}, 1.5));
  const Tensor scores = first_scores(*part, Tensor::full({1, 1, 1, 64}, 1), keys);
  expect_near(scores, Tensor::of({1, 1, 1, 2}, {14, 12}), 1e-4);
  expect_near(softmax(Variable(scores)).value(), Tensor::of({1, 1, 1, 2}, {0.88, 0.12}), 1e-3);
}

TEST(ScaledDotScore, TakesAScale) {
  const auto part =
      made_score("scaled_dot", {{"scale", "0.25"}}, {.query_width = 1, .key_width = 1});
  EXPECT_EQ(part->written(), "scaled_dot(scale=0.25)");
  const Tensor query = Tensor::of({1, 1, 1, 1}, {8});
  expect_near(first_scores(*part, query, query), Tensor::of({1, 1, 1, 1}, {16}), 1e-6);
}

}  // namespace
}  // namespace heed::attention
