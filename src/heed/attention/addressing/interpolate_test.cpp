// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/addressing/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(Interpolate, TakesAsMuchOfTheNewWeightsAsTheGateSays) {
  expect_near(addressed(*made_addressing("interpolate(gate=0.25)"), {0.8, 0.2, 0}, {0, 0, 1}),
              Tensor::of({3}, {0.2, 0.05, 0.75}), 1e-6);
}

TEST(Interpolate, TakesAllOfThemAtTheFirstStep) {
  expect_near(addressed(*made_addressing("interpolate(gate=0)"), {0.8, 0.2}),
              Tensor::of({2}, {0.8, 0.2}), 0);
}

TEST(Interpolate, AsksTheQuery) {
  const auto part = made_addressing("interpolate");
  set_parameter(*part, "gate.W", Tensor::zeros({1, 3}));
  set_parameter(*part, "gate.b", Tensor::of({1}, {-20}));  // sigmoid: 2e-9
  expect_near(addressed(*part, {1, 0}, {0, 1}), Tensor::of({2}, {0, 1}), 1e-6);
}

TEST(Interpolate, LeavesKeysHiddenThatWereSeenBefore) {
  const std::shared_ptr<const BoundPattern> first_two =
      pattern_of("window(left=0, right=1)")->bind({.queries = 1, .keys = 3});
  expect_near(
      addressed(*made_addressing("interpolate(gate=0.5)"), {0.5, 0.5, 0}, {0, 0.5, 0.5}, first_two),
      Tensor::of({3}, {0.25, 0.5, 0}), 1e-6);
}

TEST(Interpolate, RefusesWeightsOfAnotherMemoryAndGatesThatAreNone) {
  EXPECT_THROW(addressed(*made_addressing("interpolate"), {1, 0}, {1, 0, 0}), UsageError);
  EXPECT_THROW(made_addressing("interpolate(gate=1.5)"), UsageError);
  EXPECT_THROW(made_part<Addressing>("interpolate(gate=keys)"), UsageError);
}

}  // namespace
}  // namespace heed::attention
