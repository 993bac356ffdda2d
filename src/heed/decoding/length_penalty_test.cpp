// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/length_penalty.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::decoding {
namespace {

TEST(LengthPenalty, DividesAsWrittenInThePaper) {
  const LengthPenalty wu{.scale = LengthScale::wu, .alpha = .6};
  EXPECT_DOUBLE_EQ(wu.divisor(1), 1);
  EXPECT_NEAR(wu.divisor(7), std::pow(2, .6), 1e-12);
  EXPECT_NEAR(wu.score(-3, 7), -3 / 1.5157165665, 1e-9);
  EXPECT_DOUBLE_EQ((LengthPenalty{.scale = LengthScale::power, .alpha = 1}.score(-6, 4)), -1.5);
  EXPECT_DOUBLE_EQ((LengthPenalty{.scale = LengthScale::none, .alpha = 9}.score(-6, 4)), -6);
}

TEST(LengthPenalty, BoundsEveryScoreThatMayFollow) {
  for (const LengthScale scale : {LengthScale::none, LengthScale::wu, LengthScale::power}) {
    for (const double alpha : {-1.0, -.2, 0.0, .6, 1.0, 3.0}) {
      const LengthPenalty penalty{.scale = scale, .alpha = alpha};
      const double bound = penalty.bound(-4, 5, 20);
      double best = -1e9;
      for (std::int64_t length = 5; length <= 20; ++length) {
        best = std::max({best, penalty.score(-4, length), penalty.score(-4.5, length)});
      }
      EXPECT_DOUBLE_EQ(bound, best);  // reached, so it could not be tighter
    }
  }
}

}  // namespace
}  // namespace heed::decoding
