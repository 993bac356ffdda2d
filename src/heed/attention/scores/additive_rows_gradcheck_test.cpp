// SPDX-License-Identifier: Apache-2.0
// The additive score by rows against finite differences, in query, keys and all weights, in the
// build where Real is double.
#include <gtest/gtest.h>

#include "heed/attention/scores/additive_rows.h"
#include "heed/autograd/gradcheck.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::wavy;

void expect_exact(const std::vector<Tensor>& inputs) {
  const GradcheckResult result = gradcheck(
      [](std::span<const Variable> in) {
        AdditiveWeights weights;
        weights.v = in[2];
        weights.W1 = in[3];
        weights.W2 = in[4];
        // The projection follows the keys and W1, as a memory's does.
        const Tensor projected = matmul(in[1].value(), in[3].value().transpose());
        return additive_row_scores({in[0], in[1], projected, weights}, Activation::tanh);
      },
      inputs);
  EXPECT_TRUE(result.passed) << result.where;
}

TEST(AttentionGradcheck, HoldsForAdditiveScoresByRows) {
  expect_exact(
      {wavy({2, 1, 3, 4}), wavy({2, 1, 5, 2}, 1), wavy({3}, 2), wavy({3, 2}, 3), wavy({3, 4}, 4)});
  expect_exact({wavy({2, 4, 2, 3}), wavy({2, 2, 5, 2}, 1), wavy({4, 3}, 2), wavy({2, 3, 2}, 3),
                wavy({4, 3, 3}, 4)});
}

}  // namespace
}  // namespace heed::attention
