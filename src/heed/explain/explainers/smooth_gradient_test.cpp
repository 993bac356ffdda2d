// SPDX-License-Identifier: Apache-2.0
// Slopes of noisy copies.
#include <gtest/gtest.h>

#include "heed/explain/testing.h"

namespace heed::explain {
namespace {

TEST(SmoothGradient, OfAStraightFunctionIsTheGradient) {
  const SumSubject straight({1, 2, -1});
  for (const double one : shares("smooth_gradient", straight)) EXPECT_NEAR(one, 1, 1e-12);
  const std::vector<double> products = shares("smooth_gradient(times-input=true)", straight);
  EXPECT_NEAR(products[2], -1, 1e-12);
}

TEST(SmoothGradient, IsTheGradientWithoutNoiseAndNearItWithLittle) {
  const SumSubject bent({1, 2, -1}, .3);
  const std::vector<double> plain = shares("gradient", bent);
  EXPECT_EQ(shares("smooth_gradient(noise=0, samples=3)", bent).size(), 3u);
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_NEAR(shares("smooth_gradient(noise=0, samples=3)", bent)[t], plain[t], 1e-12);
    // The gradient is linear in the vectors here, so that the mean of noise of deviation .3 over
    // 4000 copies is left: a slope of .6 for each of three words, and .3 of a product.
    EXPECT_NEAR(shares("smooth_gradient(samples=4000)", bent)[t], plain[t], .05);
  }
  EXPECT_NE(shares("smooth_gradient(seed=2)", bent), shares("smooth_gradient(seed=3)", bent));
}

}  // namespace
}  // namespace heed::explain
