// SPDX-License-Identifier: Apache-2.0
// The exact adversary against drawn distributions, against climbing, and at its limits.
#include "heed/explain/adversarial_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"
#include "heed/metrics/divergence.h"

namespace heed::explain {
namespace {

using Values = std::vector<double>;

struct Case {
  Values weights;
  Values scores;
  double output = 0;
};

Case drawn(Random& random, std::size_t size) {
  Case drawn{Values(size), Values(size)};
  double sum = 0;
  for (double& one : drawn.weights) sum += one = std::exp(random.normal());
  for (std::size_t t = 0; t < size; ++t) {
    drawn.weights[t] /= sum;
    drawn.scores[t] = random.normal();
    drawn.output += drawn.weights[t] * drawn.scores[t];
  }
  return drawn;
}

TEST(AdversarialAttention, KeepsItsPromise) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const Case one = drawn(random, 2 + random.integer(30));
    const double room = .01 + random.uniform();
    const auto found =
        farthest_weights(one.weights, one.scores, one.output - room, one.output + room);
    ASSERT_TRUE(found);
    double sum = 0, output = 0;
    for (std::size_t t = 0; t < one.weights.size(); ++t) {
      EXPECT_GE(found->weights[t], 0);
      sum += found->weights[t];
      output += found->weights[t] * one.scores[t];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LE(std::abs(output - one.output), room + 1e-6);
    EXPECT_NEAR(found->divergence, metrics::jensen_shannon(found->weights, one.weights), 1e-12);
    EXPECT_LE(found->divergence, std::numbers::ln2);
    EXPECT_LE(std::ranges::count_if(found->weights, [](double w) { return w > 0; }), 2);
  }
}

TEST(AdversarialAttention, IsNeverBeaten) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    const Case one = drawn(random, 2 + random.integer(5));
    const double low = one.output - .1, high = one.output + .1;
    const double farthest = farthest_weights(one.weights, one.scores, low, high)->divergence;
    for (int draw = 0; draw < 3000; ++draw) {
      // Sparse ones among them, which is where the corners are.
      Values other(one.weights.size());
      double sum = 0, output = 0;
      for (double& share : other) {
        sum += share = random.integer(2) == 0 ? 0 : std::exp(3 * random.normal());
      }
      if (sum == 0) continue;
      for (std::size_t t = 0; t < other.size(); ++t) output += (other[t] /= sum) * one.scores[t];
      if (output < low || output > high) continue;
      EXPECT_LE(metrics::jensen_shannon(other, one.weights), farthest + 1e-12);
    }
  }
}

TEST(AdversarialAttention, IsAtLeastWhatClimbingFinds) {
  Random random(3);
  double all_climbed = 0, all_farthest = 0;
  for (int round = 0; round < 10; ++round) {
    const Case one = drawn(random, 3 + random.integer(12));
    const double low = one.output - .05, high = one.output + .05;
    const double climbed = climbed_weights(one.weights, one.scores, low, high).divergence;
    const double farthest = farthest_weights(one.weights, one.scores, low, high)->divergence;
    EXPECT_LE(climbed, farthest + 1e-12);
    all_climbed += climbed;
    all_farthest += farthest;
  }
  EXPECT_GT(all_climbed, .5 * all_farthest);  // a peer worth the name
}

TEST(AdversarialAttention, FindsNothingBeyondAllScores) {
  EXPECT_FALSE(farthest_weights(Values{.5, .5}, Values{0, 1}, 2, 3));
  // One word: itself.
  EXPECT_EQ(farthest_weights(Values{1}, Values{.3}, .2, .4)->divergence, 0);
}

TEST(AdversarialAttention, RefusesWhatIsNoAttention) {
  EXPECT_EQ(test::message_of<UsageError>([] {
              farthest_weights(Values{1}, Values{1, 2}, 0, 1);
            }),
            "adversarial attention: 1 weights and 2 scores; it takes one of each word");
  EXPECT_EQ(test::message_of<UsageError>([] {
              farthest_weights(Values{.5, .1}, Values{1, 2}, 0, 1);
            }),
            "adversarial attention: weights add up to 0.6; it takes a distribution");
  EXPECT_EQ(test::message_of<UsageError>([] {
              farthest_weights(Values{1, 0}, Values{1, NAN}, 0, 1);
            }),
            "adversarial attention: word 2 has weight 0 and score nan");
  EXPECT_EQ(test::message_of<UsageError>([] {
              farthest_weights(Values{1, 0}, Values{1, 2}, 1, 0);
            }),
            "adversarial attention: outputs from 1 to 0; the smaller comes first");
}

TEST(DealtWeights, AreTheSameWeightsOnOtherWords) {
  const std::vector<double> weights = {.5, .3, .2, 0}, scores = {1, 1.02, .98, 1.01};
  const Adversary found = dealt_weights(weights, scores, .9, 1.1);
  std::vector<double> sorted = found.weights;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (std::vector<double>{0, .2, .3, .5}));
  EXPECT_NEAR(found.divergence, metrics::jensen_shannon(found.weights, weights), 1e-12);
  // No other deal is farther: all 24 are allowed, and there are few enough to try.
  std::vector<double> deal = sorted;
  double most = 0;
  do {
    most = std::max(most, metrics::jensen_shannon(deal, weights));
  } while (std::ranges::next_permutation(deal).found);
  EXPECT_NEAR(found.divergence, most, 1e-12);
  // Never farther than the farthest of all.
  EXPECT_LE(found.divergence, farthest_weights(weights, scores, .9, 1.1)->divergence + 1e-12);
}

TEST(DealtWeights, KeepTheLimits) {
  Random random(6);
  for (int n = 0; n < 200; ++n) {
    std::vector<double> weights(7), scores(7);
    double sum = 0, own = 0;
    for (double& one : weights) sum += one = random.uniform();
    for (std::size_t t = 0; t < 7; ++t) {
      weights[t] /= sum;
      scores[t] = random.normal();
      own += weights[t] * scores[t];
    }
    const Adversary found = dealt_weights(weights, scores, own - .05, own + .05);
    double output = 0;
    for (std::size_t t = 0; t < 7; ++t) output += found.weights[t] * scores[t];
    EXPECT_NEAR(output, own, .05 + 1e-9);
    EXPECT_LE(found.divergence,
              farthest_weights(weights, scores, own - .05, own + .05)->divergence + 1e-9);
  }
  EXPECT_THROW(dealt_weights(std::vector<double>{.5, .5}, std::vector<double>{1, 1}, 2, 3),
               UsageError);
}

}  // namespace
}  // namespace heed::explain
