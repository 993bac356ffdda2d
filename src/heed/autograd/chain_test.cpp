// SPDX-License-Identifier: Apache-2.0
#include "heed/autograd/chain.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"

namespace heed {
namespace {

TEST(LongestChain, CountsTheOpsThatWaitForEachOther) {
  const Variable x = Variable::leaf(Tensor::full({3}, Real(.5)));
  EXPECT_EQ(longest_chain(x), 0);
  // Two ways to y: one of three ops, one of two.
  const Variable y = tanh(tanh(x)) + tanh(x);
  EXPECT_EQ(longest_chain(y), 3);
  EXPECT_EQ(longest_chain(y, "tanh"), 2);
  EXPECT_EQ(longest_chain(Variable(Tensor::full({3}, 1))), 0);
}

}  // namespace
}  // namespace heed
