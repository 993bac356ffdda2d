// SPDX-License-Identifier: Apache-2.0
// The coverage score by hand: additive at first, then with the sum of past weights.
#include <cmath>

#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(CoverageScore, SeesHowMuchOfAKeyWasRead) {
  auto part = made_score("coverage", {{"size", "1"}}, {.query_width = 1, .key_width = 1});
  set_parameter(*part, "v", Tensor::of({1}, {1}));
  set_parameter(*part, "W1", Tensor::of({1, 1}, {1}));
  set_parameter(*part, "W2", Tensor::of({1, 1}, {1}));
  set_parameter(*part, "w_c", Tensor::of({1}, {-3}));
  const Tensor query = Tensor::of({1, 1, 1, 1}, {0.5});
  const Tensor keys = Tensor::of({1, 1, 2, 1}, {0.25, 1});
  const auto bent = [](double x) { return static_cast<Real>(std::tanh(x)); };
  expect_near(first_scores(*part, query, keys), Tensor::of({1, 1, 1, 2}, {bent(0.75), bent(1.5)}),
              1e-6);
  AttentionState state;
  state.coverage = Tensor::of({1, 1, 2}, {0.25, 1.5});
  expect_near(part->score(query, part->project(keys), {.state = state}).value(),
              Tensor::of({1, 1, 1, 2}, {bent(0), bent(-3)}), 1e-6);
  EXPECT_TRUE(part->looks_back());
}

}  // namespace
}  // namespace heed::attention
