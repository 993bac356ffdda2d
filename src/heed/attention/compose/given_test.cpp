// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/compose/given.h"

#include <gtest/gtest.h>

namespace heed::attention {
namespace {

std::string with(const std::string& text, Given given) {
  return written(with_reader(parse_spec(text), given));
}

TEST(WithReader, AddsThePartThatReadsTheData) {
  EXPECT_EQ(with("dot", Given::lengths), "dot | padding");
  EXPECT_EQ(with("dot | causal", Given::lengths), "dot | causal & padding");
  EXPECT_EQ(with("dot | causal & window(4)", Given::mask), "dot | causal & window(4) & tensor");
  EXPECT_EQ(with("dot | (causal | globals(2))", Given::segments),
            "dot | (causal | globals(2)) & segments");
  EXPECT_EQ(with("dot | full | sparsemax", Given::bias), "dot + tensor | full | sparsemax");
}

TEST(WithReader, LeavesWhatReadsAlready) {
  for (const std::string text : {"dot | padding", "dot | causal & padding(of=both)"}) {
    EXPECT_EQ(with(text, Given::lengths), text);
  }
  EXPECT_EQ(with("dot + tensor", Given::bias), "dot + tensor");
  EXPECT_EQ(with("2x(dot | padding); 2x(dot)", Given::lengths),
            "2x(dot | padding); 2x(dot | padding)");
}

}  // namespace
}  // namespace heed::attention
