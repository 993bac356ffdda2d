// SPDX-License-Identifier: Apache-2.0
// Sparsemax: golden vectors, the worked example, and a Jacobian that depends on the support only.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Sparsemax, AgreesWithTheGoldenVectors) {
  expect_golden(*normaliser("sparsemax"), golden().at("entmax_2"));
}

TEST(Sparsemax, GivesExactZerosBelowTheThreshold) {
  expect_all_near(weights_of(*normaliser("sparsemax"), {-2, 0, 0.5}), {0, 0.25, 0.75}, 0);
}

TEST(Sparsemax, HasOneGradientForOneSupport) {
  const auto part = normaliser("sparsemax");
  expect_all_near(weights_of(*part, {0.99, 0.01, -1}), {0.99, 0.01, 0}, 1e-15);
  expect_all_near(weights_of(*part, {0.5, 0.5, -1}), {0.5, 0.5, 0}, 1e-15);
  const std::vector<double> g = {3, 1, 100};
  expect_all_near(gradient_of(*part, {0.99, 0.01, -1}, g), {1, -1, 0}, 1e-15);
  expect_all_near(gradient_of(*part, {0.5, 0.5, -1}, g), {1, -1, 0}, 1e-15);
}

}  // namespace
}  // namespace heed::attention
