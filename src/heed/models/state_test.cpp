// SPDX-License-Identifier: Apache-2.0
// What is written once over the visit of any model's state.
#include "heed/models/state.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

using heed::testing::message_of;

struct Layer {
  attention::Memory cache{};
  attention::AttentionState past{};
  void visit(StateVisitor& visitor) {
    visitor("cache", cache);
    visitor("past", past);
  }
};
struct ExampleState {
  Variable vector{};
  Ids lengths{};
  nn::RecurrentStates recurrent{};
  std::vector<Layer> layers{};
  void visit(StateVisitor& visitor) {
    visitor("vector", vector);
    visitor("lengths", lengths);
    visitor("", recurrent);
    visitor("layers", layers);
  }
};
struct Other {
  void visit(StateVisitor&) {}
};

// Two rows, everything computed from leaves.
ExampleState example_state() {
  const auto grown = [](const Tensor& x) { return Variable::leaf(x) * Real{2}; };
  ExampleState one{.vector = grown(Tensor::of({2, 2}, {1, 2, 3, 4})),
                   .lengths = Ids::of({2}, {7, 8})};
  one.recurrent.push_back({grown(Tensor::of({2, 1}, {5, 6})), {}});
  Layer& layer = one.layers.emplace_back();
  const Variable keys = grown(Tensor::of({2, 1, 1, 1}, {1, 2}));
  layer.cache = {.keys = keys, .values = keys, .projected = {{keys}}, .data = {}};
  layer.past.coverage = grown(Tensor::of({2, 1, 1}, {3, 4}));
  one.layers.emplace_back();  // before its first step
  return one;
}

TEST(State, KeepsTheRowsThatSurviveInEveryPart) {
  const State kept = State(example_state()).reordered(Ids::of({3}, {1, 1, 0}));
  const ExampleState& own = kept.as<ExampleState>();
  EXPECT_EQ(own.vector.value().values(), (std::vector<Real>{6, 8, 6, 8, 2, 4}));
  EXPECT_EQ(own.lengths.values(), (std::vector<std::int32_t>{8, 8, 7}));
  EXPECT_EQ(own.recurrent[0].h.value().values(), (std::vector<Real>{12, 12, 10}));
  EXPECT_FALSE(own.recurrent[0].c.defined());
  EXPECT_EQ(own.layers[0].cache.keys.value().values(), (std::vector<Real>{4, 4, 2}));
  EXPECT_EQ(own.layers[0].past.coverage.value().values(), (std::vector<Real>{8, 8, 6}));
  EXPECT_FALSE(own.layers[1].cache.keys.defined());
}

TEST(State, HasNoGraphOnceDetached) {
  const State detached = State(example_state()).detached();
  const ExampleState& own = detached.as<ExampleState>();
  const attention::Memory& cache = own.layers[0].cache;
  for (const Variable& one : {own.vector, own.recurrent[0].h, cache.keys, cache.values,
                              cache.projected[0][0], own.layers[0].past.coverage}) {
    ASSERT_TRUE(one.defined());
    EXPECT_FALSE(one.needs_gradient());
  }
  EXPECT_EQ(own.vector.value().values(), (std::vector<Real>{2, 4, 6, 8}));
}

TEST(State, IsAValue) {
  State one = example_state();
  const State copy = one;
  one.as<ExampleState>().vector = Tensor::zeros({2, 2});
  EXPECT_EQ(copy.as<ExampleState>().vector.value().values()[0], 2);
}

TEST(State, ComesBackFromItsTensors) {
  const State full = example_state();
  const auto tensors = full.tensors();
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"0.h", "layers.0.past.coverage", "vector"}));

  ExampleState fresh{.vector = Tensor::zeros({2, 2}), .lengths = {}};
  fresh.recurrent.push_back({Tensor::zeros({2, 1}), {}});
  fresh.layers.resize(2);
  const State restored = State(fresh).restored(tensors);
  EXPECT_EQ(restored.tensors().at("layers.0.past.coverage").values(), (std::vector<Real>{6, 8}));
  EXPECT_EQ(restored.as<ExampleState>().recurrent[0].h.value().values(),
            (std::vector<Real>{10, 12}));
}

TEST(State, GrowsListsThatTheTensorsName) {
  Layer past;
  past.past.hidden = {Variable(Tensor::of({1, 1}, {3})), Variable(Tensor::of({1, 1}, {4}))};
  const State restored = State(Layer{}).restored(State(past).tensors());
  ASSERT_EQ(restored.as<Layer>().past.hidden.size(), 2u);
  EXPECT_EQ(restored.as<Layer>().past.hidden[1].value().values(), std::vector<Real>{4});
}

TEST(State, RefusesTensorsThatDoNotFitAndStatesOfOthers) {
  const State full = example_state();
  EXPECT_THROW(full.restored({}), DataError);
  auto tensors = full.tensors();
  tensors["vector"] = Tensor::zeros({3, 2});
  EXPECT_THROW(full.restored(tensors), DataError);
  EXPECT_EQ(message_of([&] { full.as<Other>(); }),
            "state: another model's; a model takes states and sources of its own making");
  EXPECT_THROW(State().as<Other>(), UsageError);
}

}  // namespace
}  // namespace heed::models
