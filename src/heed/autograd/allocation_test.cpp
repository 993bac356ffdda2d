// SPDX-License-Identifier: Apache-2.0
// Allocation by usage: what it shares out, ties, and what is refused.
#include "heed/autograd/allocation.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::expect_near;

TEST(Allocation, GivesTheFreestSlotMost) {
  const Variable usage = Tensor::of({2, 3}, {Real(.9), Real(.1), Real(.5), 0, 1, 1});
  expect_near(allocation(usage).value(),
              Tensor::of({2, 3}, {Real(.1 * .05), Real(.9), Real(.5 * .1), 1, 0, 0}), 1e-6);
}

TEST(Allocation, SumsToWhatIsNotInUse) {
  const Variable usage = Tensor::of({1, 4}, {Real(.9), Real(.2), Real(.5), Real(.05)});
  EXPECT_NEAR(sum(allocation(usage)).value().item(), 1 - .9 * .2 * .5 * .05, 1e-6);
  const Variable full = Tensor::full({1, 4}, 1);
  EXPECT_EQ(sum(allocation(full)).value().item(), 0);
}

TEST(Allocation, TakesTheFirstOfEqualSlots) {
  expect_near(allocation(Tensor::zeros({1, 3})).value(), Tensor::of({1, 3}, {1, 0, 0}), 0);
}

TEST(Allocation, LetsWhatIsNotANumberThrough) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const Tensor found = allocation(Tensor::of({1, 3}, {nan, Real(.5), nan})).value();
  EXPECT_EQ(found.at({0, 1}), Real(.5));
  EXPECT_NE(found.at({0, 0}), found.at({0, 0}));
}

TEST(Allocation, TakesRowsOfSlots) {
  EXPECT_THROW(allocation(Tensor::zeros({3})), UsageError);
}

}  // namespace
}  // namespace heed
