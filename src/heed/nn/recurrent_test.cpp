// SPDX-License-Identifier: Apache-2.0
#include "heed/nn/recurrent.h"

#include <gtest/gtest.h>

#include "heed/nn/initialisers.h"
#include "heed/tensor/testing.h"

namespace heed::nn {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

RecurrentNetwork network(Cell cell, int layers, bool bidirectional) {
  Random random(4);
  return RecurrentNetwork(
      {.cell = cell, .inputs = 3, .hidden = 5, .layers = layers, .bidirectional = bidirectional},
      random);
}

TEST(RecurrentNetwork, HasTheShapesOfItsLayersAndDirections) {
  for (const Cell cell : {Cell::tanh, Cell::relu, Cell::lstm, Cell::gru}) {
    const RecurrentNetwork net = network(cell, 2, true);
    const RecurrentOutput y = net(Variable(wavy({4, 2, 3})));
    EXPECT_EQ(y.outputs.shape(), (Shape{4, 2, 10}));
    ASSERT_EQ(y.final.size(), 4u);
    EXPECT_EQ(y.final[3].h.shape(), (Shape{2, 5}));
    EXPECT_EQ(y.final[3].c.defined(), cell == Cell::lstm);
  }
}

TEST(RecurrentNetwork, TreatsEachSequenceOfABatchAsIfItWereAlone) {
  for (const Cell cell : {Cell::tanh, Cell::lstm, Cell::gru}) {
    const RecurrentNetwork net = network(cell, 2, true);
    const Tensor x = wavy({6, 3, 3});
    const Ids lengths = Ids::of({3}, {4, 6, 1});
    const RecurrentOutput batch = net(Variable(x), {.lengths = lengths});
    for (std::int64_t b = 0; b < 3; ++b) {
      const std::int64_t length = lengths.at({b});
      const RecurrentOutput alone = net(Variable(x.slice(0, 0, length).slice(1, b, b + 1)));
      expect_near(batch.outputs.value().slice(0, 0, length).slice(1, b, b + 1),
                  alone.outputs.value(), 1e-5);
      const Tensor rest = batch.outputs.value().slice(0, length, 6).slice(1, b, b + 1);
      expect_near(rest, Tensor::zeros(rest.shape()), 0);
      for (std::size_t layer = 0; layer < 4; ++layer) {
        expect_near(batch.final[layer].h.value().slice(0, b, b + 1), alone.final[layer].h.value(),
                    1e-5);
      }
    }
  }
}

TEST(RecurrentNetwork, GoesOnWhereAnEarlierCallStopped) {
  for (const Cell cell : {Cell::tanh, Cell::lstm, Cell::gru}) {
    const RecurrentNetwork net = network(cell, 2, false);
    const Tensor x = wavy({7, 2, 3});
    const RecurrentOutput whole = net(Variable(x));
    const RecurrentOutput first = net(Variable(x.slice(0, 0, 3)));
    const RecurrentOutput second = net(Variable(x.slice(0, 3, 7)), {.initial = first.final});
    expect_near(second.outputs.value(), whole.outputs.value().slice(0, 3, 7), 1e-5);
  }
}

TEST(RecurrentNetwork, ReadsBackwardsFromTheEnd) {
  // The second direction of x is the first direction of reversed x, reversed.
  RecurrentNetwork net = network(Cell::gru, 1, true);
  net.layers[1] = net.layers[0];
  const Tensor x = wavy({4, 2, 3});
  Tensor reversed(x.shape());
  for (std::int64_t t = 0; t < 4; ++t) reversed.select(0, t).assign(x.select(0, 3 - t));
  const Tensor y = net(Variable(x)).outputs.value();
  const Tensor z = net(Variable(reversed)).outputs.value();
  for (std::int64_t t = 0; t < 4; ++t) {
    expect_near(y.select(0, t).slice(1, 5, 10), z.select(0, 3 - t).slice(1, 0, 5), 1e-5);
  }
}

TEST(RecurrentNetwork, DropsBetweenItsLayersAndNowhereElse) {
  const Variable x(wavy({4, 2, 3}));
  const auto read = [&](Real share, bool locked, Noise noise) {
    Random random(4);
    const RecurrentNetwork net({.cell = Cell::gru,
                                .inputs = 3,
                                .hidden = 5,
                                .layers = 2,
                                .dropout = share,
                                .locked = locked},
                               random);
    return net(x, {.noise = noise});
  };
  const RecurrentOutput plain = read(0, false, nullptr);
  std::vector<std::vector<Real>> dropped;
  for (const bool locked : {false, true}) {
    expect_near(read(Real(.5), locked, nullptr).outputs.value(), plain.outputs.value(), 0);
    Random noise(1);
    const RecurrentOutput found = read(Real(.5), locked, &noise);
    expect_near(found.final[0].h.value(), plain.final[0].h.value(), 0);
    dropped.push_back(found.outputs.value().values());
    EXPECT_NE(dropped.back(), plain.outputs.value().values());
  }
  EXPECT_NE(dropped[0], dropped[1]);  // one mask for each step, or for all
}

TEST(RecurrentNetwork, StartsWithOrthogonalRecurrentWeightsAndOpenForgetGates) {
  const RecurrentNetwork net = network(Cell::lstm, 1, false);
  const Tensor gate = net.layers[0].w_h.value().slice(0, 5, 10);
  Tensor identity = Tensor::zeros({5, 5});
  for (std::int64_t i = 0; i < 5; ++i) identity.mutable_data()[i * 6] = 1;
  expect_near(matmul(gate, gate.transpose()), identity, 1e-5);
  EXPECT_EQ(net.layers[0].bias.value().slice(0, 5, 10).values(), std::vector<Real>(5, 1));
}

TEST(RecurrentNetwork, RefusesEmptySizesAndAWrongNumberOfStates) {
  Random random(1);
  EXPECT_THROW(RecurrentNetwork({.inputs = 0, .hidden = 3}, random), UsageError);
  EXPECT_THROW(RecurrentNetwork({.inputs = 2, .hidden = 3, .layers = 0}, random), UsageError);
  const RecurrentNetwork net = network(Cell::gru, 2, false);
  EXPECT_THROW(net(Variable(wavy({2, 2, 3})), {.initial = RecurrentStates(1)}), UsageError);
}

}  // namespace
}  // namespace heed::nn
