// SPDX-License-Identifier: Apache-2.0
// The slope along each word.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(GradientInput, IsTheSlopeAlongAWord) {
  // dy/df_0 = v0 (1 + 2 c (v0 + v1)) + c v0 v1 with c = .5.
  const std::vector<double> found = shares("gradient_input", SumSubject({1, 2}, .5));
  EXPECT_NEAR(found[0], 1 * (1 + 3) + 1, 1e-12);
  EXPECT_NEAR(found[1], 2 * (1 + 3) + 1, 1e-12);
}

}  // namespace
}  // namespace heed::explain
