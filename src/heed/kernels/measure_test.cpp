// SPDX-License-Identifier: Apache-2.0
// The yardsticks give rates that a computer can have.
#include "heed/kernels/measure.h"

#include <gtest/gtest.h>

namespace heed::kernels {
namespace {

TEST(Measure, FmaRateIsPlausible) {
  const double rate = fma_gflops(0.02);
  EXPECT_GT(rate, 0.1);
  EXPECT_LT(rate, 1000);
}

TEST(Measure, StreamRateIsPlausible) {
  const double rate = stream_gbs(0);
  EXPECT_GT(rate, 0.05);
  EXPECT_LT(rate, 2000);
}

}  // namespace
}  // namespace heed::kernels
