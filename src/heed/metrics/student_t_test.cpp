// SPDX-License-Identifier: Apache-2.0
// Student's table, and a test that can be done by hand.
#include "heed/metrics/student_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::metrics {
namespace {

TEST(StudentT, IsTheTableOfQuantiles) {
  EXPECT_NEAR(student_t(6.313751514675, 1), .95, 1e-9);
  EXPECT_NEAR(student_t(2.015048372669, 5), .95, 1e-9);
  EXPECT_NEAR(student_t(-2.015048372669, 5), .05, 1e-9);
  EXPECT_NEAR(student_t(1.959963984540, 1e6), .975, 1e-6);  // the normal distribution
  EXPECT_EQ(student_t(0, 7), .5);
  // One degree of freedom is Cauchy's: 1/2 + atan(t) / pi.
  for (const double t : {-3., -.5, .2, 1., 20.}) {
    EXPECT_NEAR(student_t(t, 1), .5 + std::atan(t) / std::numbers::pi, 1e-12);
  }
}

TEST(PairedTTest, AsksWhetherTheFirstIsLower) {
  // Differences -2, -1, -3, -2: mean -2, deviation sqrt(2/3), t = -2 / sqrt(2/3 / 4) = -4.899.
  const std::vector<double> low = {1, 3, 2, 4}, high = {3, 4, 5, 6};
  const PairedTTest lower = paired_t_test(low, high);
  EXPECT_NEAR(lower.difference, -2, 1e-12);
  EXPECT_NEAR(lower.t, -std::sqrt(24.), 1e-12);
  EXPECT_NEAR(lower.p, .0081383017, 1e-9);
  EXPECT_NEAR(paired_t_test(high, low).p, 1 - lower.p, 1e-12);
  EXPECT_EQ(paired_t_test(low, low).p, .5);
  EXPECT_EQ(paired_t_test(std::vector<double>{1, 2}, std::vector<double>{2, 3}).p, 0);
}

TEST(PairedTTest, RefusesSamplesThatAreNoPairs) {
  const std::vector<double> one = {1}, two = {1, 2};
  EXPECT_EQ(test::message_of<UsageError>([&] { paired_t_test(one, two); }),
            "paired t-test: 1 and 2 samples; it takes two or more, as many of each");
}

}  // namespace
}  // namespace heed::metrics
