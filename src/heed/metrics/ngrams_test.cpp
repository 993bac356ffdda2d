// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/ngrams.h"

#include <gtest/gtest.h>

namespace heed::metrics {
namespace {

using Tokens = std::vector<std::string>;

TEST(Ngrams, AreCountedAndMatchedAsOftenAsBothHaveThem) {
  const NgramCounts a = ngram_counts<std::string>(Tokens{"x", "y", "x", "y", "x", "y"}, 2);
  const NgramCounts b = ngram_counts<std::string>(Tokens{"x", "y", "z", "x", "y"}, 2);
  EXPECT_EQ(a.size(), 2u) << "x y, y x";
  EXPECT_EQ(total_of(a), 5);
  EXPECT_EQ(matches_of(a, b), 2);
  EXPECT_EQ(matches_of(b, a), 2);
}

TEST(Ngrams, KeepTokensApart) {
  const NgramCounts a = ngram_counts<std::string>(Tokens{"ab", "c"}, 2);
  const NgramCounts b = ngram_counts<std::string>(Tokens{"a", "bc"}, 2);
  EXPECT_EQ(matches_of(a, b), 0);
  EXPECT_EQ(total_of(ngram_counts<std::string>(Tokens{"a"}, 2)), 0);
}

}  // namespace
}  // namespace heed::metrics
