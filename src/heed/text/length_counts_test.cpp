// SPDX-License-Identifier: Apache-2.0
#include "heed/text/length_counts.h"

#include <gtest/gtest.h>

namespace heed::text {
namespace {

TEST(LengthCounts, GiveMedianAndTailOfManyInLittleMemory) {
  LengthCounts lengths;
  EXPECT_EQ(lengths.median(), 0u);
  for (std::uint64_t i = 1; i <= 1000; ++i) lengths.add(i);
  EXPECT_EQ(lengths.least(), 1u);
  EXPECT_EQ(lengths.median(), 500u);
  EXPECT_EQ(lengths.quantile(.95), 950u);
  EXPECT_EQ(lengths.most(), 1000u);
  EXPECT_EQ(lengths.total(), 500'500u);
  LengthCounts large;
  for (std::uint64_t i = 1; i <= 1000; ++i) large.add(i * 1'000'000);
  EXPECT_NEAR(static_cast<double>(large.median()), 5e8, 5e8 / 64);
  EXPECT_EQ(large.most(), 1'000'000'000u);
}

}  // namespace
}  // namespace heed::text
