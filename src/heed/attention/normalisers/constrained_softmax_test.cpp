// SPDX-License-Identifier: Apache-2.0
// Constrained softmax: golden vectors, bounds of each key, and bounds that cannot be.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(ConstrainedSoftmax, AgreesWithTheGoldenVectors) {
  const auto part = normaliser("constrained_softmax", {{"bound", "0.3"}});
  expect_golden(*part, golden().at("csoftmax_u0.3"), "dz");
}

TEST(ConstrainedSoftmax, GivesTheGradientOfBounds) {
  RowData<double> row{.scores = golden().at("x").get<std::vector<double>>()};
  row.bounds.assign(row.scores.size(), 0.3);
  const auto g = golden().at("g").get<std::vector<double>>();
  const auto gradient = gradients_of(*normaliser("constrained_softmax"), row, g);
  expect_all_near(gradient.bounds, golden().at("csoftmax_u0.3").at("du").get<std::vector<double>>(),
                  1e-12);
}

TEST(ConstrainedSoftmax, WithoutABoundIsSoftmax) {
  const std::vector<double> scores = {-2, 0, 0.5, 1.2};
  expect_all_near(weights_of(*normaliser("constrained_softmax"), scores),
                  weights_of(*normaliser("softmax"), scores), 1e-14);
}

TEST(ConstrainedSoftmax, SharesWhatABoundKeyLeavesHoweverFarBelow) {
  const auto part = normaliser("constrained_softmax", {{"bound", "0.4"}});
  expect_all_near(weights_of(*part, {1e30, -1e30, -1e30}), {0.4, 0.3, 0.3}, 1e-12);
}

TEST(ConstrainedSoftmax, RefusesBoundsThatAddUpToLessThanOne) {
  const auto part = normaliser("constrained_softmax", {{"bound", "0.3"}});
  EXPECT_THROW(part->check(3), UsageError);
  EXPECT_NO_THROW(part->check(4));
}

}  // namespace
}  // namespace heed::attention
