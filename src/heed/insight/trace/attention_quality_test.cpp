// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/trace/attention_quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/trace.h"

namespace heed::insight {
namespace {

TEST(AttentionQuality, IsPerfectWhereEachTokenLooksAtOne) {
  const AttentionQuality found = attention_quality(Tensor::of({2, 2}, {0, 1, 1, 0}));
  EXPECT_EQ(found.coverage, 1);
  EXPECT_EQ(found.confidence(), 0);
}

TEST(AttentionQuality, FollowsItsEquations) {
  // Columns sum to 1.75 and 0.25.
  const AttentionQuality found = attention_quality(Tensor::of({2, 2}, {1, 0, .75, .25}));
  EXPECT_NEAR(found.coverage, (1 + .25) / 2, 1e-7);
  EXPECT_NEAR(found.deviation, -(2 * std::log(1 + .5625)) / 2, 1e-7);
  const double row = -.75 * std::log(.75) - .25 * std::log(.25);
  EXPECT_NEAR(found.target_dispersion, -row / 2, 1e-7);
  const double a = 1 / 1.75, b = .75 / 1.75;
  EXPECT_NEAR(found.source_dispersion, (a * std::log(a) + b * std::log(b)) / 2, 1e-7);
  EXPECT_NEAR(found.confidence(),
              found.deviation + found.target_dispersion + found.source_dispersion, 1e-12);
}

TEST(AttentionQuality, IsAMeanOverTargetsOrOverSources) {
  const double entropy = std::log(3.0);
  const AttentionQuality found = attention_quality(Tensor::full({2, 3}, Real(1. / 3)));
  EXPECT_NEAR(found.target_dispersion, -entropy, 1e-6);
  EXPECT_NEAR(found.source_dispersion, -std::log(2.0), 1e-6);
  EXPECT_NEAR(found.coverage, 2. / 3, 1e-6);
}

TEST(AttentionQuality, TakesMaskedCellsForNothing) {
  const Tensor masked = Tensor::of({1, 2}, {1, attention::kMasked});
  const AttentionQuality found = attention_quality(masked);
  EXPECT_NEAR(found.coverage, .5, 1e-12);
  EXPECT_NEAR(found.deviation, -std::log(2) / 2, 1e-12);
  EXPECT_EQ(attention_quality(Tensor::zeros({0, 3})).confidence(), 0);
}

}  // namespace
}  // namespace heed::insight
