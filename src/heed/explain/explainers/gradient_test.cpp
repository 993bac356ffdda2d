// SPDX-License-Identifier: Apache-2.0
// The slope by a vector, of a function that is bent.
#include <gtest/gtest.h>

#include "heed/explain/testing.h"

namespace heed::explain {
namespace {

TEST(Gradient, IsTheLengthOfTheSlope) {
  // dy/dv_0 = 1 + 2 c (v_0 + v_1) + c v_1 with c = -.5.
  const std::vector<double> found = shares("gradient", SumSubject({1, 2}, -.5));
  EXPECT_NEAR(found[0], std::abs(1 - 3 - 1), 1e-12);
  EXPECT_NEAR(found[1], std::abs(1 - 3 - .5), 1e-12);
}

}  // namespace
}  // namespace heed::explain
