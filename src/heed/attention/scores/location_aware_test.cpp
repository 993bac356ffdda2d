// SPDX-License-Identifier: Apache-2.0
// The location-aware score by hand, from uniform past weights and from given ones.
#include <cmath>

#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

// v = 1, W1 = W2 = 0: the score is tanh of the past weights through F, and U = 2.
std::unique_ptr<Score> past_only() {
  auto part = made_score("location_aware", {{"width", "3"}, {"channels", "1"}, {"size", "1"}},
                         {.query_width = 1, .key_width = 1});
  set_parameter(*part, "v", Tensor::of({1}, {1}));
  set_parameter(*part, "W1", Tensor::zeros({1, 1}));
  set_parameter(*part, "W2", Tensor::zeros({1, 1}));
  set_parameter(*part, "F", Tensor::of({1, 3}, {0.5, 1, 0}));  // half of the key before, and itself
  set_parameter(*part, "U", Tensor::of({1, 1}, {2}));
  return part;
}
Real bent(double x) {
  return static_cast<Real>(std::tanh(x));
}

TEST(LocationAwareScore, StartsFromUniformPastWeights) {
  const Tensor keys = Tensor::zeros({1, 1, 4, 1});
  expect_near(first_scores(*past_only(), Tensor::zeros({1, 1, 1, 1}), keys),
              Tensor::of({1, 1, 1, 4}, {bent(0.5), bent(0.75), bent(0.75), bent(0.75)}), 1e-6);
}

TEST(LocationAwareScore, SeesWhereTheLastStepLooked) {
  const auto part = past_only();
  AttentionState state;
  state.previous = Tensor::of({1, 1, 3}, {0, 1, 0});
  const Variable keys = part->project(Tensor::zeros({1, 1, 3, 1}));
  const Tensor scores = part->score(Tensor::zeros({1, 1, 1, 1}), keys, {.state = state}).value();
  expect_near(scores, Tensor::of({1, 1, 1, 3}, {0, bent(2), bent(1)}), 1e-6);
}

TEST(LocationAwareScore, LooksBackSoItTakesOneQuery) {
  const auto part = past_only();
  EXPECT_TRUE(part->looks_back());
  EXPECT_EQ(message_of([&] {
              first_scores(*part, Tensor::zeros({1, 1, 2, 1}), Tensor::zeros({1, 1, 3, 1}));
            }),
            "location_aware: 2 queries at once; it looks back at the last step, so give one");
}

}  // namespace
}  // namespace heed::attention
