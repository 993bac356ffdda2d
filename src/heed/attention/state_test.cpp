// SPDX-License-Identifier: Apache-2.0
// What a state is after steps, for surviving beams, and over a grown memory.
#include "heed/attention/state.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

// Two rows of a batch, one head, three keys.
AttentionState two_steps() {
  const Tensor first = Tensor::of({2, 1, 3}, {0.5, 0.25, 0.25, 1, 0, 0});
  const Tensor second = Tensor::of({2, 1, 3}, {0, 1, 0, 0.5, 0, 0.5});
  AttentionState state = AttentionState{}.after(first).after(second);
  state.hidden = {Variable(), heed::testing::counting({2, 1, 3, 2})};
  return state;
}

TEST(AttentionState, CountsStepsKeepsTheLastWeightsAndAddsThemUp) {
  const AttentionState state = two_steps();
  EXPECT_EQ(state.step, 2);
  expect_near(state.previous.value(), Tensor::of({2, 1, 3}, {0, 1, 0, 0.5, 0, 0.5}), 0);
  expect_near(state.coverage.value(), Tensor::of({2, 1, 3}, {0.5, 1.25, 0.25, 1.5, 0, 0.5}), 0);
}

TEST(AttentionState, FollowsTheBeamsThatSurvive) {
  const AttentionState state = two_steps().reordered(Ids::of({3}, {1, 1, 0}));
  EXPECT_EQ(state.step, 2);
  expect_near(state.previous.value(), Tensor::of({3, 1, 3}, {0.5, 0, 0.5, 0.5, 0, 0.5, 0, 1, 0}),
              0);
  EXPECT_EQ(state.coverage.shape(), (Shape{3, 1, 3}));
  ASSERT_EQ(state.hidden.size(), 2u);
  EXPECT_FALSE(state.hidden[0].defined()) << "a score that remembers nothing";
  EXPECT_EQ(state.hidden[1].shape(), (Shape{3, 1, 3, 2}));
  EXPECT_EQ(state.hidden[1].value().at({0, 0, 0, 0}), 6);
  EXPECT_EQ(state.hidden[1].value().at({2, 0, 0, 0}), 0);
}

TEST(AttentionState, GivesNewKeysNoPast) {
  const AttentionState state = two_steps().grown(5);
  expect_near(state.previous.value(), Tensor::of({2, 1, 5}, {0, 1, 0, 0, 0, 0.5, 0, 0.5, 0, 0}), 0);
  EXPECT_FALSE(state.hidden[0].defined());
  EXPECT_EQ(state.hidden[1].shape(), (Shape{2, 1, 5, 2}));
  EXPECT_EQ(state.hidden[1].value().at({1, 0, 4, 1}), 0);
}

TEST(AttentionState, KeepsThePastOfTheLastKeysAlone) {
  const AttentionState state = two_steps().last(2);
  EXPECT_EQ(state.step, 0);
  expect_near(state.previous.value(), Tensor::of({2, 1, 2}, {1, 0, 0, 0.5}), 0);
  EXPECT_EQ(state.hidden[1].shape(), (Shape{2, 1, 2, 2}));
  EXPECT_EQ(two_steps().last(9).previous.shape(), (Shape{2, 1, 3}));
}

TEST(AttentionState, DetachedHasItsValuesAndNoGraph) {
  AttentionState state = two_steps();
  state.coverage = Variable::leaf(state.coverage.value()) * Real{2};
  EXPECT_TRUE(state.coverage.needs_gradient());
  EXPECT_FALSE(state.detached().coverage.needs_gradient());
  expect_near(state.detached().coverage.value(), state.coverage.value(), 0);
}

TEST(AttentionState, IsTheSameBeforeTheFirstStepWhateverHappens) {
  const AttentionState state = AttentionState{}.reordered(Ids::of({2}, {0, 0})).grown(7);
  EXPECT_EQ(state.step, 0);
  EXPECT_FALSE(state.previous.defined());
  EXPECT_FALSE(state.coverage.defined());
  EXPECT_TRUE(state.hidden.empty());
}

TEST(AttentionState, RefusesAMemoryThatShrank) {
  EXPECT_EQ(message_of([] { two_steps().grown(2); }),
            "attention state: it knows 3 keys and the memory has 2; a memory only grows");
}

TEST(AttentionState, RefusesRowsThatAreNoList) {
  EXPECT_NE(message_of([] {
              two_steps().reordered(Ids::of({1, 1}, {0}));
            }).find("[1,1]"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::attention
