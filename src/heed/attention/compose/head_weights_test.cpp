// SPDX-License-Identifier: Apache-2.0
// Parameters per head and the projection by them.
#include "heed/attention/compose/head_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(HeadParameter, HasAnAxisOfHeadsOnlyForSeveral) {
  Real next = 0;
  const auto make = [&] { return Tensor::full({2, 3}, next++); };
  EXPECT_EQ(head_parameter(1, make).shape(), (Shape{2, 3}));
  const Variable three = head_parameter(3, make);
  EXPECT_EQ(three.shape(), (Shape{3, 2, 3}));
  EXPECT_EQ(three.value().at({2, 0, 0}), 3);
  EXPECT_TRUE(three.needs_gradient());
}

TEST(ProjectHeads, GivesEachHeadItsOwnMatrix) {
  const Variable x(Tensor::of({1, 2, 1, 2}, {1, 2, 3, 4}));
  const Variable w(Tensor::of({2, 1, 2}, {10, 1, 1, 10}));
  expect_near(project_heads(x, w).value(), Tensor::of({1, 2, 1, 1}, {12, 43}), 0);
}

TEST(ProjectHeads, LeavesARowWithoutGradientOutOfTheWeightsGradient) {
  const Variable x(Tensor::of({1, 1, 2, 1}, {5, static_cast<Real>(NAN)}));
  const Variable w = Variable::leaf(Tensor::of({2, 1}, {1, 1}));
  backward(project_heads(x, w), Tensor::of({1, 1, 2, 2}, {1, 2, 0, 0}));
  expect_near(w.gradient(), Tensor::of({2, 1}, {5, 10}), 0);
}

TEST(ProjectHeads, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(
      message_of([] {
        project_heads(Variable(Tensor::zeros({1, 2, 1, 3})), Variable(Tensor::zeros({3, 4, 3})));
      }),
      "projection: input [1,2,1,3] and weights [3,4,3]; it takes [B,H,S,D] and [out,D] or "
      "[H,out,D]");
}

TEST(AlongHeads, PlacesAParameterBesideQueriesAndKeys) {
  EXPECT_EQ(along_heads(Variable(Tensor::zeros({5})), 1).shape(), (Shape{1, 1, 5}));
  EXPECT_EQ(along_heads(Variable(Tensor::zeros({4, 5})), 1).shape(), (Shape{4, 1, 5}));
}

}  // namespace
}  // namespace heed::attention
