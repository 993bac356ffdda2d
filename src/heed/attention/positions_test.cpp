// SPDX-License-Identifier: Apache-2.0
// Tests of sinusoidal, learned and rotary positions.
#include "heed/attention/positions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/compose/products.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

TEST(SinusoidalPositions, FollowTheFormula) {
  const Tensor p = sinusoidal_positions(3, 4, 5);
  for (std::int64_t i = 0; i < 3; ++i) {
    const double position = static_cast<double>(5 + i);
    EXPECT_NEAR(p.at({i, 0}), std::sin(position), 1e-6);
    EXPECT_NEAR(p.at({i, 1}), std::cos(position), 1e-6);
    EXPECT_NEAR(p.at({i, 2}), std::sin(position / 100), 1e-6);
    EXPECT_NEAR(p.at({i, 3}), std::cos(position / 100), 1e-6);
  }
  EXPECT_EQ(sinusoidal_positions(2, 3).shape(), (Shape{2, 3}));
}

TEST(SinusoidalPositions, InHalvesHaveTheSameNumbersInAnotherOrder) {
  const Tensor pairs = sinusoidal_positions(3, 6, 2);
  const Tensor halves = sinusoidal_positions(3, 6, 2, Sinusoids::halves);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t k = 0; k < 3; ++k) {
      EXPECT_EQ(halves.at({i, k}), pairs.at({i, 2 * k}));
      EXPECT_EQ(halves.at({i, k + 3}), pairs.at({i, 2 * k + 1}));
    }
  }
}

TEST(RotaryScaling, SlowsSlowWavesAndKeepsFastOnes) {
  const RotaryScaling linear{.kind = RotaryScaling::Kind::linear, .factor = 4};
  EXPECT_DOUBLE_EQ(linear(.5), .125);
  const RotaryScaling llama3{
      .kind = RotaryScaling::Kind::llama3, .factor = 8, .low = 1, .high = 4, .original = 64};
  const double turn = 2 * 3.14159265358979323846;
  EXPECT_DOUBLE_EQ(llama3(turn / 10), turn / 10);   // a wave of 10 is shorter than 64 / 4
  EXPECT_DOUBLE_EQ(llama3(turn / 80), turn / 640);  // one of 80 is longer than 64
  // One of 32: the share of what is kept is (64 / 32 - 1) / (4 - 1).
  EXPECT_NEAR(llama3(turn / 32), turn / 32 * (2. / 3 / 8 + 1. / 3), 1e-12);
}

TEST(GridPositions, SayTheRowThenTheColumn) {
  const Tensor grid = grid_positions(2, 3, 8), line = sinusoidal_positions(3, 4);
  for (std::int64_t cell = 0; cell < 6; ++cell) {
    for (std::int64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(grid.at({cell, j}), line.at({cell / 3, j}));
      EXPECT_EQ(grid.at({cell, 4 + j}), line.at({cell % 3, j}));
    }
  }
  EXPECT_THROW(grid_positions(2, 2, 5), UsageError);
}

TEST(LearnedPositions, GiveARowEachAndRefuseWhatIsBeyond) {
  Random random(1);
  const LearnedPositions positions(10, 4, random);
  expect_near(positions(3, 7).value(), positions.weight.value().slice(0, 7, 10), 0);
  EXPECT_EQ(heed::testing::message_of([&] { positions(4, 7); }),
            "learned positions: 7 to 10 asked for; there are 10, counted from 0");
}

TEST(Rotary, MakesProductsDependOnTheDistanceOnly) {
  for (const RotaryPairs pairs : {RotaryPairs::interleaved, RotaryPairs::half_split}) {
    const Rotary rotary{.pairs = pairs};
    const Variable q(wavy({1, 1, 1, 8}));
    const Variable k(wavy({1, 1, 1, 8}, 1));
    const Real near = dot_products(rotary(q, 5), rotary(k, 2)).item();
    const Real far = dot_products(rotary(q, 105), rotary(k, 102)).item();
    EXPECT_NEAR(near, far, 1e-4);
    EXPECT_GT(std::abs(near - dot_products(rotary(q, 6), rotary(k, 2)).item()), 1e-3);
  }
}

TEST(Rotary, KeepsLengthsAndLeavesPositionZeroAlone) {
  const Variable x(wavy({2, 3, 6}));
  const Tensor y = Rotary{}(x).value();
  expect_near(y.select(1, 0), x.value().select(1, 0), 0);
  expect_near(sum(square(Variable(y)), 2).value(), sum(square(x), 2).value(), 1e-5);
  EXPECT_THROW(Rotary{}(Variable(wavy({2, 3}))), UsageError);
}

}  // namespace
}  // namespace heed::attention
