// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/attention_path.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/decoding/search.h"
#include "heed/decoding/testing.h"

namespace heed::decoding {
namespace {

attention::Site cross(int layer) {
  return {.role = attention::Role::cross, .set = "cross", .layer = layer};
}

using testing::KnownLanguageStepper;
using testing::markov;

// The stepper's weights spell what a row had read: token i must have been chosen after reading
// begin and the tokens before it.
void expect_own_history(const Hypothesis& one, std::int64_t cross_keys) {
  text::Tokens read = one.tokens;
  read.insert(read.begin(), text::kBegin);
  const auto length = static_cast<std::int64_t>(one.token_log_probabilities.size());
  ASSERT_EQ(one.attentions.size(), 2u);
  const AttentionPath& cross = one.attentions[0];
  EXPECT_EQ(cross.site.set, "cross");
  EXPECT_EQ(cross.site.layer, 1);
  ASSERT_EQ(cross.weights.shape(), Shape({2, length, cross_keys}));
  const AttentionPath& self = one.attentions[1];
  ASSERT_EQ(self.weights.shape(), Shape({1, length, length}));
  for (std::int64_t t = 0; t < length; ++t) {
    for (std::int64_t k = 0; k < length; ++k) {
      const Real expected = k <= t ? static_cast<Real>(read[static_cast<std::size_t>(k)]) : 0;
      if (k <= t) {
        EXPECT_EQ(self.weights.at({0, t, k}), expected) << "token " << t << ", key " << k;
      } else {
        EXPECT_TRUE(attention::is_masked(self.weights.at({0, t, k}))) << t << " " << k;
      }
      if (k >= cross_keys) continue;
      EXPECT_EQ(cross.weights.at({0, t, k}), expected);
      EXPECT_EQ(cross.weights.at({1, t, k}), -expected);
    }
  }
}

TEST(AttentionPath, FollowsTheSurvivingHypothesesOfBeams) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    KnownLanguageStepper stepper(markov(15, seed, .8), 4);
    const auto found =
        beam_search(stepper, {.width = 5,
                              .n_best = 5,
                              .constraints = {.most = {.per_source = 0, .constant = 12}},
                              .attentions = true});
    for (const auto& best : found) {
      for (const Hypothesis& one : best) expect_own_history(one, KnownLanguageStepper::kKeys);
    }
  }
}

TEST(AttentionPath, FollowsGreedyAndSampledOutputs) {
  const Constraints constraints{.most = {.per_source = 0, .constant = 10}};
  KnownLanguageStepper stepper(markov(15, 3), 4);
  stepper.sources = {3, 4, 5, 6};  // what lies after a source is padding, and is left out
  const auto found = greedy(stepper, {.constraints = constraints, .attentions = true});
  for (std::size_t i = 0; i < 4; ++i) {
    expect_own_history(found[i], 3 + static_cast<std::int64_t>(i));
  }
  KnownLanguageStepper again(markov(15, 3), 3);
  Random random(1);
  for (const auto& samples :
       sample(again, {.samples = 4, .constraints = constraints, .attentions = true}, random)) {
    for (const Hypothesis& one : samples) expect_own_history(one, KnownLanguageStepper::kKeys);
  }
}

TEST(AttentionPath, IsLeftOutUnlessAskedFor) {
  KnownLanguageStepper stepper(markov(15, 3), 1);
  EXPECT_TRUE(beam_search(stepper)[0][0].attentions.empty());
}

TEST(AttentionPath, CountsHowMuchOfTheSourceWasCovered) {
  std::vector<attention::Trace> steps(2);
  // [N=2, H=2, 1, K=3], then the same for the second step; another layer of one head.
  steps[0].add(cross(0), 0, Tensor::of({2, 2, 1, 3}, {9, 9, 9, 9, 9, 9, .5, .5, 0, 1, 0, 0}));
  steps[0].add(cross(1), 0, Tensor::of({2, 1, 1, 3}, {9, 9, 9, 0, 1, 0}));
  steps[1].add(cross(0), 1, Tensor::of({1, 2, 1, 3}, {.25, .75, 0, .25, .75, 0}));
  steps[1].add(cross(1), 1, Tensor::of({1, 1, 1, 3}, {1, 0, 0}));
  const std::vector<std::int32_t> rows = {1, 0};
  const auto covered = coverage({.steps = steps, .rows = rows, .source_length = 2});
  ASSERT_EQ(covered.size(), 2u);
  EXPECT_NEAR(covered[0], (1.5 + 1.5) / 3, 1e-6);
  EXPECT_NEAR(covered[1], (1.5 + 1.5) / 3, 1e-6);
}

TEST(AttentionPath, CountsMaskedKeysAsNotCovered) {
  std::vector<attention::Trace> steps(1);
  steps[0].add(cross(0), 0, Tensor::of({1, 1, 1, 2}, {1, attention::kMasked}));
  const std::vector<std::int32_t> rows = {0};
  EXPECT_EQ(coverage({.steps = steps, .rows = rows}), (std::vector<double>{1, 0}));
}

TEST(AttentionPath, JoinsTheStepsThatOneCallLeft) {
  attention::Trace trace;
  // Two rows; the history of the first site grows by a key.
  trace.add({.role = attention::Role::self, .set = "decoder self", .layer = 0}, 0,
            Tensor::of({2, 1, 1, 1}, {9, 1}));
  trace.add(cross(0), 0, Tensor::of({2, 1, 1, 2}, {9, 9, .25, .75}));
  trace.add({.role = attention::Role::self, .set = "decoder self", .layer = 0}, 1,
            Tensor::of({2, 1, 1, 2}, {9, 9, .5, .5}));
  trace.add(cross(0), 1, Tensor::of({2, 1, 1, 2}, {9, 9, 1, 0}));
  const std::vector<AttentionPath> paths = paths_of(trace, 1);
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[1].weights.values(), (std::vector<Real>{.25, .75, 1, 0}));
  const Tensor& self = paths[0].weights;
  ASSERT_EQ(self.shape(), Shape({1, 2, 2}));
  EXPECT_EQ(self.at({0, 0, 0}), 1);
  EXPECT_TRUE(attention::is_masked(self.at({0, 0, 1})));
  EXPECT_EQ(self.at({0, 1, 1}), Real(.5));
}

TEST(AttentionPath, KeepsTheReadersOfOneSourceApart) {
  attention::Trace trace;
  for (const Real weight : {Real(1), Real(2)}) {
    trace.add({.role = attention::Role::self, .set = "encoder self", .layer = 0}, 0,
              Tensor::full({1, 1, 3, 3}, weight));
  }
  const std::vector<AttentionPath> paths = paths_of(trace, 0);
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[1].weights.at({0, 2, 2}), 2);
  EXPECT_EQ(cut(paths[1], 2, 1).weights.shape(), Shape({1, 2, 1}));
}

TEST(AttentionPath, RefusesStepsThatVisitOtherSites) {
  std::vector<attention::Trace> steps(2);
  steps[0].add(cross(0), 0, Tensor::zeros({1, 1, 1, 2}));
  steps[1].add(cross(1), 1, Tensor::zeros({1, 1, 1, 2}));
  const std::vector<std::int32_t> rows = {0, 0};
  EXPECT_THROW(follow({.steps = steps, .rows = rows}), InternalError);
}

}  // namespace
}  // namespace heed::decoding
