// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/paired_bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

// Sentences of which a share is right and the rest has one word wrong, the right ones drawn.
std::vector<BleuStatistics> system_of(double right, std::uint64_t seed) {
  const std::vector<std::string> reference = {"one two three four five six"};
  const BleuStatistics good = bleu_statistics("one two three four five six", reference);
  const BleuStatistics bad = bleu_statistics("one two three x five six", reference);
  Random random(seed);
  std::vector<BleuStatistics> sentences;
  for (int i = 0; i < 200; ++i) sentences.push_back(random.uniform() < right ? good : bad);
  return sentences;
}

TEST(PairedBootstrap, TellsAClearWinnerFromAnEvenMatch) {
  Random random(1);
  const PairedBootstrap clear = paired_bootstrap(system_of(0.3, 1), system_of(0.7, 2), random, 300);
  EXPECT_GT(clear.second, clear.first);
  EXPECT_GT(clear.second_wins, 0.99);
  EXPECT_GT(clear.difference_low, 0);
  const PairedBootstrap even = paired_bootstrap(system_of(0.5, 1), system_of(0.5, 2), random, 300);
  EXPECT_LT(even.difference_low, 0);
  EXPECT_GT(even.difference_high, 0);
}

TEST(PairedBootstrap, CallsASystemAgainstItselfATie) {
  Random random(1);
  const auto sentences = system_of(0.5, 1);
  const PairedBootstrap tie = paired_bootstrap(sentences, sentences, random, 100);
  EXPECT_EQ(tie.first_wins, 0.5);
  EXPECT_EQ(tie.difference_low, 0);
  EXPECT_EQ(tie.difference_high, 0);
}

TEST(PairedBootstrap, GivesTheSameForTheSameSeed) {
  const auto first = system_of(0.45, 1), second = system_of(0.5, 2);
  Random a(7), b(7), c(8);
  const PairedBootstrap one = paired_bootstrap(first, second, a, 50);
  EXPECT_EQ(one.difference_low, paired_bootstrap(first, second, b, 50).difference_low);
  EXPECT_NE(one.difference_low, paired_bootstrap(first, second, c, 50).difference_low);
}

TEST(PairedBootstrap, TakesAnyMeasure) {
  // The share of right answers: the second system has nine of ten, the first six of ten.
  const auto share = [](std::size_t right) {
    return [right](std::span<const std::size_t> sentences) {
      const auto count = std::ranges::count_if(
          sentences, [&](std::size_t sentence) { return sentence % 10 < right; });
      return static_cast<double>(count) / static_cast<double>(sentences.size());
    };
  };
  Random random(1), again(2);
  const PairedBootstrap better = paired_bootstrap(200, share(6), share(9), random);
  EXPECT_EQ(better.first, .6);
  EXPECT_EQ(better.second, .9);
  EXPECT_GT(better.second_wins, .999);
  EXPECT_NEAR(better.difference_low, .3 - 1.96 * std::sqrt(.3 * .7 / 200), .02);
  const Interval alone = bootstrap_interval(200, share(9), again);
  EXPECT_EQ(alone.value, .9);
  EXPECT_NEAR(alone.low, .9 - 1.96 * std::sqrt(.9 * .1 / 200), .015);
  EXPECT_NEAR(alone.high, .9 + 1.96 * std::sqrt(.9 * .1 / 200), .015);
  EXPECT_THROW(bootstrap_interval(0, share(9), again), UsageError);
}

TEST(PairedBootstrap, RefusesWhatIsNotPaired) {
  Random random(1);
  const auto sentences = system_of(0.5, 1);
  EXPECT_THROW(paired_bootstrap(sentences, std::span(sentences).first(3), random), UsageError);
  EXPECT_THROW(paired_bootstrap({}, {}, random), UsageError);
  EXPECT_THROW(paired_bootstrap(sentences, sentences, random, 0), UsageError);
}

}  // namespace
}  // namespace heed::metrics
