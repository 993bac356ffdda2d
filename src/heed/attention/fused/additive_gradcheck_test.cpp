// SPDX-License-Identifier: Apache-2.0
// Fused additive attention against finite differences, in the build where Real is double.
#include <gtest/gtest.h>

#include "heed/attention/fused/additive.h"
#include "heed/autograd/gradcheck.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::wavy;

void expect_exact(Activation activation, const DropoutMask& dropout) {
  const auto pattern = Catalogue<NamedPattern>::find("causal")->make();
  const GradcheckResult result = gradcheck(
      [&](std::span<const Variable> a) {
        return additive_attention(
                   {.query = a[0],
                    .keys = a[1],
                    .v = a[2],
                    .values = a[3],
                    .activation = activation,
                    .pattern = pattern->bind({.batch = 2, .heads = 4, .queries = 3, .keys = 6}),
                    .dropout = dropout})
            ->context;
      },
      std::vector<Tensor>{wavy({2, 4, 3, 5}), wavy({2, 2, 6, 5}, 1), wavy({4, 5}, 2),
                          wavy({2, 2, 6, 3}, 3)});
  EXPECT_TRUE(result.passed) << result.where;
}

TEST(AdditiveAttentionGradcheck, HoldsForQueryKeysValuesAndV) {
  expect_exact(Activation::tanh, {});
  expect_exact(Activation::sigmoid, {});
}

TEST(AdditiveAttentionGradcheck, HoldsWithWeightsMadeAgainAndDropped) {
  expect_exact(Activation::tanh, {.probability = Real(0.3), .seed = 2, .stream = 1});
}

}  // namespace
}  // namespace heed::attention
