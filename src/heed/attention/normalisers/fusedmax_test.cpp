// SPDX-License-Identifier: Apache-2.0
// Fusedmax: golden vectors, and neighbours that fuse.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Fusedmax, AgreesWithTheGoldenVectors) {
  expect_golden(*normaliser("fusedmax", {{"lambda", "0.2"}}), golden().at("fusedmax_lam0.2"));
}

TEST(Fusedmax, WithoutStrengthIsSparsemax) {
  const std::vector<double> scores = {0.3, -0.4, 0.5, 0.1};
  expect_all_near(weights_of(*normaliser("fusedmax", {{"lambda", "0"}}), scores),
                  weights_of(*normaliser("sparsemax"), scores), 1e-15);
}

TEST(Fusedmax, GivesNeighboursOneWeightAndOneGradient) {
  const auto part = normaliser("fusedmax", {{"lambda", "0.2"}});
  const std::vector<double> p = weights_of(*part, {1, 1.1, 1.05, -3});
  EXPECT_EQ(p[0], p[1]);
  EXPECT_EQ(p[1], p[2]);
  const std::vector<double> dz = gradient_of(*part, {1, 1.1, 1.05, -3}, {1, 2, 6, 0});
  EXPECT_EQ(dz[0], dz[1]);
  EXPECT_EQ(dz[1], dz[2]);
}

}  // namespace
}  // namespace heed::attention
