// SPDX-License-Identifier: Apache-2.0
// Tokens out of their padding and back, with their gradients.
#include "heed/nn/packing.h"

#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::nn {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(Packing, LeavesPaddingOutAndBringsItBackAsZeros) {
  const Packing packing(Ids::of({3}, {2, 0, 1}), 2);
  const Variable x = Variable::leaf(Tensor::of({3, 2, 1}, {1, 2, 3, 4, 5, 6}));
  const Variable packed = packing.packed(x);
  expect_near(packed.value(), Tensor::of({3, 1}, {1, 2, 5}), 0);
  const Variable spread = packing.spread(packed);
  expect_near(spread.value(), Tensor::of({3, 2, 1}, {1, 2, 0, 0, 5, 0}), 0);
  backward(spread, Tensor::of({3, 2, 1}, {1, 2, 3, 4, 5, 6}));
  expect_near(x.gradient(), Tensor::of({3, 2, 1}, {1, 2, 0, 0, 5, 0}), 0);
}

TEST(Packing, IsTakenOnlyWhereMuchIsPadding) {
  EXPECT_FALSE(Packing().defined());
  EXPECT_FALSE(worthwhile_packing({}, 8).defined());
  EXPECT_FALSE(worthwhile_packing(Ids::of({2}, {8, 8}), 8).defined());
  EXPECT_FALSE(worthwhile_packing(Ids::of({2}, {8, 6}), 8).defined()) << "an eighth";
  EXPECT_TRUE(worthwhile_packing(Ids::of({2}, {8, 5}), 8).defined());
}

TEST(Packing, OfNothingLeavesEverythingAsItIs) {
  const Variable x = Variable::leaf(Tensor::of({1, 2, 1}, {1, 2}));
  expect_near(Packing().packed(x).value(), x.value(), 0);
  expect_near(Packing().spread(x).value(), x.value(), 0);
}

TEST(Packing, RefusesLengthsBelowZero) {
  EXPECT_EQ(message_of([] {
              Packing(Ids::of({2}, {1, -2}), 3);
            }),
            "packing: a length is -2; it takes 0 to 3, as many as there are keys");
}

}  // namespace
}  // namespace heed::nn
