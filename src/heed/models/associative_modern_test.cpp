// SPDX-License-Identifier: Apache-2.0
// Modern memories against worked numbers and against attention.
#include <gtest/gtest.h>

#include "heed/attention/attention.h"
#include "heed/models/associative_testing.h"

namespace heed::models {
namespace {

using testing::expect_pattern;
using testing::kThree;

TEST(ModernMemory, HasTheWorkedStates) {
  const auto memory = make_associative_memory(kThree, {.beta = 2});
  const Recollection found = recall(*memory, {.8, -.6, .1, .9}, {.most_steps = 2});
  ASSERT_EQ(found.steps.size(), 3u);
  expect_pattern(found.steps[0].weights, {0.94258604523, 9.523833019e-05, 0.0573187164401}, 1e-9);
  expect_pattern(found.steps[1].state,
                 {0.99980952334, -0.885172090459, 0.88536256712, 0.99980952334}, 1e-9);
  expect_pattern(found.steps[2].state,
                 {0.999980534497, -0.998302011104, 0.998321476607, 0.999980534497}, 1e-9);
  EXPECT_NEAR(found.steps[0].energy, 1.02974210976, 1e-9);
  EXPECT_NEAR(found.steps[1].energy, 0.562045098005, 1e-9);
  EXPECT_NEAR(found.steps[2].energy, 0.549135919382, 1e-9);
}

TEST(ModernMemory, IsSoftmaxAttentionWithThePatternsAsKeysAndValues) {
  const MemoryPattern query{.8, -.6, .1, .9};
  std::vector<Real> keys, asked(query.begin(), query.end());
  for (const MemoryPattern& pattern : kThree)
    keys.insert(keys.end(), pattern.begin(), pattern.end());
  Random random(1);
  // beta 1/2 is the scale of four units.
  for (const auto& [written, beta] :
       {std::pair{"dot | full | softmax(temperature=0.5)", 2.}, std::pair{"scaled_dot", .5}}) {
    const auto look = attention::make_attention(
        written, {.query_width = 4, .key_width = 4, .value_width = 4}, random);
    const Tensor stored = Tensor::of({1, 1, 3, 4}, keys);
    const Tensor context =
        look->attend(Tensor::of({1, 1, 1, 4}, asked), look->memory(stored, stored)).context.value();
    const std::vector<Real> values = context.values();
    expect_pattern(make_associative_memory(kThree, {.beta = beta})->step(query),
                   {values.begin(), values.end()}, 1e-6);
  }
}

TEST(ModernMemory, AveragesWhenBetaIsSmallAndTakesTheNearestWhenItIsLarge) {
  const MemoryPattern query{.8, -.6, .1, .9};
  expect_pattern(make_associative_memory(kThree, {.beta = 1e-9})->step(query),
                 {1. / 3, 1. / 3, 1. / 3, 1. / 3}, 1e-6);
  expect_pattern(make_associative_memory(kThree, {.beta = 1e9})->step(query), kThree[0], 0);
}

}  // namespace
}  // namespace heed::models
