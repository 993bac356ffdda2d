// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/transformer_options.h"

#include <gtest/gtest.h>

namespace heed::pipeline {
namespace {

TEST(StackOptions, BecomeThoseOfAStack) {
  StackOptions mine;
  Options list;
  mine.declare_stack(list);
  list.read_toml_text("width = 48\nheads = 6\nnorm = \"post\"\npositions = \"rotary\"\n", "test");
  const models::TransformerStackOptions stack = mine.stack();
  EXPECT_EQ(stack.width, 48);
  EXPECT_EQ(stack.heads, 6);
  EXPECT_EQ(stack.norm, models::NormPlace::post);
  EXPECT_EQ(stack.positions, models::Positions::rotary);
}

}  // namespace
}  // namespace heed::pipeline
