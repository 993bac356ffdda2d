// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/by_length.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

using Lines = std::vector<std::string>;

TEST(BleuByLength, ScoresEachBucketOfSourceLengthsAlone) {
  const Lines sources = {"a", "a b c d e", "a b c d e f", "1 2 3 4 5 6 7 8 9 10 11 12"};
  const Lines right = {"one two three four"};
  const BleuStatistics good = bleu_statistics("one two three four", right);
  const BleuStatistics bad = bleu_statistics("five six seven eight", right);
  const auto buckets = bleu_by_length(sources, std::vector{good, good, bad, good});
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_EQ(buckets[0].first, 1);
  EXPECT_EQ(buckets[0].last, 5);
  EXPECT_EQ(buckets[0].sentences, 2);
  EXPECT_DOUBLE_EQ(buckets[0].bleu.score, 100);
  EXPECT_EQ(buckets[1].last, 10);
  EXPECT_EQ(buckets[1].bleu.score, 0);
  EXPECT_EQ(buckets[2].first, 11);
}

TEST(BleuByLength, TakesItsStepAndRefusesUnequalCounts) {
  const Lines sources = {"a b c"};
  const std::vector<BleuStatistics> one(1), two(2);
  EXPECT_EQ(bleu_by_length(sources, one, 2).front().first, 3);
  EXPECT_THROW(bleu_by_length(sources, two), UsageError);
  EXPECT_THROW(bleu_by_length(sources, one, 0), UsageError);
}

}  // namespace
}  // namespace heed::metrics
