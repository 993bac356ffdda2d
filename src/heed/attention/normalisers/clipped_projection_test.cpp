// SPDX-License-Identifier: Apache-2.0
// Clipped projections: sums, bounds, and scores far apart.
#include "heed/attention/normalisers/clipped_projection.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

std::vector<double> project(const std::vector<double>& z, const std::vector<double>& u,
                            double total) {
  std::vector<double> p(z.size());
  clipped_projection(z, u, total, p);
  return p;
}

TEST(ClippedProjection, StopsAtEachBound) {
  expect_all_near(project({1, 0.5, 0.4}, {0.2, 1, 1}, 1), {0.2, 0.45, 0.35}, 1e-15);
}

TEST(ClippedProjection, GivesTheBoundsWhenTheyAddUpToLess) {
  expect_all_near(project({5, 1}, {0.3, 0.4}, 1), {0.3, 0.4}, 0);
}

TEST(ClippedProjection, FindsAnyThresholdOfAFlatStretch) {
  expect_all_near(project({7, 3, -4}, {1, 1, 1}, 2), {1, 1, 0}, 0);
}

TEST(ClippedProjection, KeepsItsDigitsBesideHugeScores) {
  expect_all_near(project({1e30, 0.2, -0.2}, {1, 1, 1}, 2), {1, 0.7, 0.3}, 1e-15);
}

// Two keys at their bounds make up the total, so that a whole range of thresholds is right.
TEST(ClippedProjection, LeavesNothingToKeysThatAreNotNeeded) {
  const std::vector<double> u{1, 1, 1};
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> z{2 + 0.0137 * i, 1.5 + 0.0091 * i, 0.1 + 0.0019 * i};
    std::vector<double> p(3);
    clipped_projection(z, u, 2, p);
    EXPECT_EQ(p, (std::vector<double>{1, 1, 0})) << "case " << i;
  }
}

}  // namespace
}  // namespace heed::attention
