// SPDX-License-Identifier: Apache-2.0
#include "heed/models/transformer_stack_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::models {
namespace {

TEST(TransformerStackOptions, AreSetUnderTheNamesOfCommandLinesAndConfigFiles) {
  TransformerStackOptions stack;
  Options list;
  stack.declare(list);
  list.read_toml_text(
      "width = 48\nheads = 6\nkey-heads = 2\nnorm = \"post\"\npositions = \"rotary\"\n"
      "activation = \"gelu_tanh\"\ndropout = 0.3\nlocked-dropout = true\n",
      "test");
  EXPECT_EQ(stack.width, 48);
  EXPECT_EQ(stack.heads, 6);
  EXPECT_EQ(stack.key_heads, 2);
  EXPECT_EQ(stack.norm, NormPlace::post);
  EXPECT_EQ(stack.positions, Positions::rotary);
  EXPECT_EQ(stack.activation, Activation::gelu_tanh);
  EXPECT_EQ(stack.dropout, .3);
  EXPECT_TRUE(stack.locked_dropout);
  EXPECT_THROW(list.read_toml_text("dropout = 1.0\n", "test"), UsageError);
}

TEST(TransformerStackOptions, BoundTheTokensOnlyWherePositionsAreLearned) {
  for (const Positions positions : {Positions::sinusoidal, Positions::learned, Positions::none}) {
    const TransformerStackOptions stack{.positions = positions, .longest = 7};
    EXPECT_EQ(stack.most_tokens(), positions == Positions::learned ? 7 : 0);
  }
}

}  // namespace
}  // namespace heed::models
