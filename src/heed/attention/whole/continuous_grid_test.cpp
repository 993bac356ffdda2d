// SPDX-License-Identifier: Apache-2.0
// Continuous attention over a grid: moments of cells, and which cells an ellipse weighs.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "heed/attention/attention.h"
#include "heed/attention/whole/density_weights.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

CellsSeen grid_of(std::int64_t side, double width, Density of = Density::softmax) {
  return {std::make_shared<ValueBasis>(
              BasisOptions{.of = of, .columns = side, .centres = 10, .widths = {width}}),
          {side * side}};
}

TEST(ContinuousGrid, HasTheMeanAndCovarianceOfItsDiscreteWeights) {
  // Two cells of a diagonal.
  const Variable plane = density_moments(Tensor::of({1, 1, 1, 4}, {.5, 0, 0, .5}), grid_of(2, .5));
  const auto spread = Real(.0625 + kLeastVariance);
  expect_near(plane.value(), Tensor::of({1, 1, 1, 5}, {.5, .5, spread, Real(.0625), spread}), 1e-7);
}

TEST(ContinuousGrid, WeighsTheCellsOfItsEllipseAndNoneThatItDoesNotSee) {
  CellsSeen cells = grid_of(12, .1, Density::sparsemax);
  const Tensor moments =
      Tensor::of({1, 1, 1, 5}, {Real(.3), Real(.7), Real(.005), Real(.002), Real(.004)});
  const Tensor weights = density_weights(moments, cells, 144).value();
  EXPECT_NEAR(sum(Variable(weights)).item(), 1, .02);
  const std::vector<Real> w = weights.values();
  EXPECT_GT(w[8 * 12 + 3], .03);             // x .29, y .71
  EXPECT_LT(std::abs(w[2 * 12 + 9]), 1e-3);  // the opposite corner
  cells.visible = {60};                      // five rows of twelve
  const Tensor fewer = density_weights(moments, cells, 144).value();
  for (std::int64_t l = 60; l < 144; ++l) EXPECT_EQ(fewer.data()[l], 0);
  cells.visible = {-1};
  for (const Real x : density_weights(moments, cells, 144).value().values()) EXPECT_EQ(x, 0);
}

TEST(ContinuousGrid, RefusesAGridWithoutColumns) {
  Random random(1);
  const auto refusal = message_of([&] {
    make_attention("continuous_grid(columns=0)",
                   {.query_width = 4, .key_width = 4, .value_width = 3}, random);
  });
  EXPECT_NE(refusal.find("columns"), std::string::npos);
}

}  // namespace
}  // namespace heed::attention
