// SPDX-License-Identifier: Apache-2.0
// Oscarmax: golden vectors, and the optimum where the composed form is not.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Oscarmax, AgreesWithTheGoldenVectors) {
  expect_golden(*normaliser("oscarmax", {{"lambda", "0.05"}}), golden().at("oscarmax_beta0.05"));
}

TEST(Oscarmax, ReachesTheOptimum) {
  // The proximal map of the norm on raw scores, then the simplex, gives (.7, .1, .1, .1) with an
  // objective of .100.
  const auto part = normaliser("oscarmax", {{"lambda", "0.2"}});
  const std::vector<double> theta = {1.2, 0, 0, 0};
  expect_all_near(weights_of(*part, theta), {0.85, 0.05, 0.05, 0.05}, 1e-15);
  EXPECT_NEAR(*part->maximum(theta), 0.115, 1e-12);
}

TEST(Oscarmax, GivesSimilarScoresOneWeightWhereverTheyAre) {
  const std::vector<double> p =
      weights_of(*normaliser("oscarmax", {{"lambda", "0.2"}}), {1, -1, 1.1, 0.9});
  EXPECT_EQ(p[0], p[2]);
  EXPECT_EQ(p[0], p[3]);
}

}  // namespace
}  // namespace heed::attention
