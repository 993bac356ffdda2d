// SPDX-License-Identifier: Apache-2.0
// Clipped projections: sums, bounds, and scores far apart.
#include "heed/attention/clipped_projection.h"

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
  expect_near(project({1, 0.5, 0.4}, {0.2, 1, 1}, 1), {0.2, 0.45, 0.35}, 1e-15);
}

TEST(ClippedProjection, GivesTheBoundsWhenTheyAddUpToLess) {
  expect_near(project({5, 1}, {0.3, 0.4}, 1), {0.3, 0.4}, 0);
}

TEST(ClippedProjection, FindsAnyThresholdOfAFlatStretch) {
  expect_near(project({7, 3, -4}, {1, 1, 1}, 2), {1, 1, 0}, 0);
}

TEST(ClippedProjection, KeepsItsDigitsBesideHugeScores) {
  expect_near(project({1e30, 0.2, -0.2}, {1, 1, 1}, 2), {1, 0.7, 0.3}, 1e-15);
}

}  // namespace
}  // namespace heed::attention
