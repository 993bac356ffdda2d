// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/compose/given.h"

#include <gtest/gtest.h>

#include "heed/tensor/testing.h"

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

TEST(CheckGivers, RefusesAPatternThatLacksWhatABiasMustGive) {
  const auto refusal = [](const std::string& text) {
    return heed::testing::message_of([&] { check_givers(parse_spec(text)); });
  };
  EXPECT_EQ(refusal("dot | causal & local_p(half-width=2)"),
            "mechanism: local_p needs a bias that gives centres; write \"dot + gaussian | causal & "
            "local_p(half-width=2)\"\n"
            "  dot | causal & local_p(half-width=2)\n"
            "                 ^");
  // Of several groups of heads, those that lack it.
  const std::string groups = "1x(dot + gaussian(width=3) | local_p); 2x(dot | (full | local_p))";
  EXPECT_NE(refusal(groups).find("2x(dot + gaussian | (full | local_p))"), std::string::npos);
  EXPECT_NO_THROW(check_givers(parse_spec("dot + gaussian(centre=query) | local_p")));
  EXPECT_NO_THROW(check_givers(parse_spec("dot + alibi | window(3)")));
}

}  // namespace
}  // namespace heed::attention
