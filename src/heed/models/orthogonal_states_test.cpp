// SPDX-License-Identifier: Apache-2.0
// States of an orthogonal network: at right angles to the sum of those before, in each direction,
// and the same beside longer sequences as alone.
#include "heed/models/orthogonal_states.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

struct OrthogonalStates : ::testing::Test {
  nn::RecurrentNetwork network(nn::Cell cell) {
    return {{.cell = cell, .inputs = 3, .hidden = 5, .bidirectional = true}, random};
  }
  Random random{4};
  Tensor input = [] {
    Random values(9);
    Tensor x({4, 2, 3});
    fill_uniform(std::span(x.mutable_data(), 24), values, -1, 1);
    return x;
  }();
  Ids lengths = Ids::of({2}, {4, 2});
};

TEST_F(OrthogonalStates, AreAtRightAnglesToTheSumOfThoseBefore) {
  for (const nn::Cell cell : {nn::Cell::lstm, nn::Cell::gru}) {
    const Tensor states = orthogonal_states(network(cell), input, lengths, nullptr).outputs.value();
    for (const bool backwards : {false, true}) {
      std::vector<double> sum(5, 0);
      for (std::int64_t i = 0; i < 4; ++i) {
        const std::int64_t t = backwards ? 3 - i : i;
        double product = 0, norm = 0;
        for (std::int64_t d = 0; d < 5; ++d) {
          const double one = states.at({t, 0, d + (backwards ? 5 : 0)});
          product += one * sum[static_cast<std::size_t>(d)];
          norm += one * one;
        }
        EXPECT_NEAR(product, 0, 1e-6) << t;
        EXPECT_GT(norm, 1e-6) << t;
        for (std::int64_t d = 0; d < 5; ++d) {
          sum[static_cast<std::size_t>(d)] += states.at({t, 0, d + (backwards ? 5 : 0)});
        }
      }
    }
  }
}

TEST_F(OrthogonalStates, OfAShortSequenceDoNotKnowItsPadding) {
  const nn::RecurrentNetwork reader = network(nn::Cell::lstm);
  const nn::RecurrentOutput both = orthogonal_states(reader, input, lengths, nullptr);
  const Tensor alone_input = input.slice(0, 0, 2).slice(1, 1, 2).packed();
  const nn::RecurrentOutput alone =
      orthogonal_states(reader, alone_input, Ids::of({1}, {2}), nullptr);
  heed::testing::expect_near(both.outputs.value().slice(0, 0, 2).slice(1, 1, 2).packed(),
                             alone.outputs.value(), 1e-6);
  for (std::size_t side = 0; side < 2; ++side) {
    heed::testing::expect_near(both.final[side].h.value().slice(0, 1, 2).packed(),
                               alone.final[side].h.value(), 1e-6);
  }
  for (std::int64_t d = 0; d < 10; ++d) EXPECT_EQ(both.outputs.value().at({3, 1, d}), 0);
}

TEST_F(OrthogonalStates, LetGradientsReachEveryWeight) {
  nn::RecurrentNetwork reader = network(nn::Cell::lstm);
  backward(sum(square(orthogonal_states(reader, input, lengths, nullptr).outputs)));
  for (const nn::Parameter& one : nn::parameters(reader)) {
    ASSERT_TRUE(one.variable.gradient().defined()) << one.name;
    double norm = 0;
    for (const Real value : one.variable.gradient().values()) norm += value * value;
    EXPECT_GT(norm, 0) << one.name;
    EXPECT_TRUE(std::isfinite(norm)) << one.name;
  }
}

}  // namespace
}  // namespace heed::models
