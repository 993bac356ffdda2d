// SPDX-License-Identifier: Apache-2.0
// The slope on the way to the text.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(IntegratedGradients, AverageTheSlopeOnTheWay) {
  // Of a square the slope is linear along the way: its mean is that half-way.
  const std::vector<double> found = shares("integrated_gradients(steps=3)", SumSubject({1, 2}, .5));
  EXPECT_NEAR(found[0], 1 * (1 + 1.5) + .5, 1e-12);
  EXPECT_NEAR(found[1], 2 * (1 + 1.5) + .5, 1e-12);
}

}  // namespace
}  // namespace heed::explain
