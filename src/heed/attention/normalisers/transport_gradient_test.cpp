// SPDX-License-Identifier: Apache-2.0
// The gradient at the limit of Sinkhorn's algorithm, where one can compute it by hand.
#include "heed/attention/normalisers/transport_gradient.h"

#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

// Two by two, [p, 1-p; 1-p, p]: logit p is half of z_00 + z_11 - z_01 - z_10, so that the slope of
// p is p (1-p) / 2 along each score, with its sign.
TEST(TransportGradient, IsThatOfATwoByTwoTable) {
  const double p = 0.3, slope = p * (1 - p) / 2;
  const std::vector<double> weights = {p, 1 - p, 1 - p, p};
  const auto found = transport_gradient(weights, std::vector<double>{1, 0, 0, 0}, 2, 1e-11);
  ASSERT_TRUE(found);
  expect_all_near(*found, {slope, -slope, -slope, slope}, 1e-15);
}

TEST(TransportGradient, IsNothingWhereTheSumsAloneDecide) {
  const std::vector<double> weights(4, 0.25);  // one query
  const auto found = transport_gradient(weights, std::vector<double>{1, 2, 3, 4}, 4, 1e-11);
  ASSERT_TRUE(found);
  expect_all_near(*found, {0, 0, 0, 0}, 1e-15);
}

TEST(TransportGradient, IsNoneForWeightsThatAreNotAtTheLimit) {
  const std::vector<double> g = {1, 0, 0, 0};
  EXPECT_FALSE(transport_gradient(std::vector<double>{0.3, 0.7, 0.6, 0.4}, g, 2, 1e-3));
  EXPECT_TRUE(transport_gradient(std::vector<double>{0.3, 0.7, 0.7, 0.3}, g, 2, 1e-11));
  EXPECT_FALSE(transport_gradient(std::vector<double>{0.3, 0.7, 0.7, NAN}, g, 2, 1e-3));
}

}  // namespace
}  // namespace heed::attention
