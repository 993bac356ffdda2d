// SPDX-License-Identifier: Apache-2.0
// Padding by length: what is kept, and what happens to NaN in it.
#include "heed/nn/lengths.h"

#include <limits>

#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::nn {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(Lengths, AreAllKeysWhereNoneAreGiven) {
  EXPECT_EQ(length_of({}, 1, 7), 7);
  EXPECT_EQ(length_of(Ids::of({2}, {3, 0}), 0, 7), 3);
  EXPECT_EQ(length_of(Ids::of({2}, {3, 0}), 1, 7), 0);
  EXPECT_EQ(length_of(Ids::of({1}, {9}), 0, 7), 7) << "a memory that has not grown so far yet";
}

TEST(Lengths, LeaveZerosBehindThemAndNoGradient) {
  constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
  const Variable x = Variable::leaf(Tensor::of({2, 1, 2, 1}, {1, kNan, 3, 4}));
  const Variable kept = without_padding(x, Ids::of({2}, {1, 2}));
  expect_near(kept.value(), Tensor::of({2, 1, 2, 1}, {1, 0, 3, 4}), 0);
  backward(kept, Tensor::of({2, 1, 2, 1}, {5, 6, 7, 8}));
  expect_near(x.gradient(), Tensor::of({2, 1, 2, 1}, {5, 0, 7, 8}), 0);
}

TEST(Lengths, ChangeNothingWhereThereIsNoPadding) {
  const Variable x(Tensor::full({1, 1, 3, 2}, 4));
  EXPECT_EQ(without_padding(x, {}).value().data(), x.value().data());
  EXPECT_EQ(without_padding(x, Ids::of({1}, {3})).value().data(), x.value().data());
}

TEST(Lengths, SayWhatDoesNotFit) {
  EXPECT_EQ(message_of([] {
              check_lengths("memory", Ids::of({3}, {1, 2, 3}), 2, 5);
            }),
            "memory: lengths [3]; it takes one per sequence, [2]");
  EXPECT_EQ(message_of([] {
              check_lengths("memory", Ids::of({2}, {1, -2}), 2, 5);
            }),
            "memory: a length is -2; it takes 0 to 5, as many as there are keys");
  EXPECT_THROW(check_lengths("memory", Ids::of({2}, {1, 6}), 2, 5), UsageError);
  EXPECT_NO_THROW(check_lengths("memory", {}, 2, 5));
}

}  // namespace
}  // namespace heed::nn
