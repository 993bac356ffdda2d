// SPDX-License-Identifier: Apache-2.0
// The alignment-RNN score: additive at first; then the past of each key counts, and its order too.
#include <cmath>

#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

std::unique_ptr<Score> small_score() {
  return made_score("alignment_rnn", {{"size", "3"}, {"hidden", "2"}},
                    {.query_width = 2, .key_width = 2});
}

// The scores after the given weights of one key each step.
Tensor scores_after(const Score& part, std::initializer_list<Real> weights) {
  AttentionState state;
  Variable hidden;
  for (const Real weight : weights) {
    const Tensor past = Tensor::of({1, 1, 2}, {weight, 1 - weight});
    state = state.after(past);
    hidden = part.remember(hidden, past);
  }
  return part
      .score(wavy({1, 1, 1, 2}), part.project(wavy({1, 1, 2, 2}, 1)),
             {.state = state, .hidden = hidden})
      .value();
}

TEST(AlignmentRnnScore, IsTheAdditiveScoreBeforeTheFirstStep) {
  auto part = small_score();
  auto additive = made_score("additive", {{"size", "3"}}, {.query_width = 2, .key_width = 2});
  for (const auto& [name, values] : parameters_of(*part)) {
    if (name == "v" || name == "W1" || name == "W2") set_parameter(*additive, name, values);
  }
  expect_near(scores_after(*part, {}),
              first_scores(*additive, wavy({1, 1, 1, 2}), wavy({1, 1, 2, 2}, 1)), 1e-6);
}

TEST(AlignmentRnnScore, RemembersTheOrderOfPastWeights) {
  const auto part = small_score();
  const Real early = scores_after(*part, {1, 0}).at({0, 0, 0, 0});
  const Real late = scores_after(*part, {0, 1}).at({0, 0, 0, 0});
  EXPECT_GT(std::abs(early - late), 1e-4);
}

TEST(AlignmentRnnScore, KeepsOneHiddenStatePerKeyAndHead) {
  auto part = made_score("alignment_rnn", {{"size", "3"}, {"hidden", "2"}},
                         {.query_width = 2, .key_width = 2, .heads = 2});
  const Tensor weights = Tensor::full({3, 2, 4}, 0.25);
  EXPECT_EQ(part->remember({}, weights).shape(), (Shape{3, 2, 4, 2}));
}

}  // namespace
}  // namespace heed::attention
