// SPDX-License-Identifier: Apache-2.0
// Parts by their written names: patterns alone, and names that are none.
#include "heed/attention/make_parts.h"

#include <gtest/gtest.h>

#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

TEST(PatternOf, MakesAPatternOfItsWrittenForm) {
  EXPECT_EQ(pattern_of("causal & (window(3) | globals(2))")->written(),
            "causal & (window(left=3) | globals(count=2))");
  EXPECT_TRUE(pattern_of("causal & padding")->shows_first_keys());
  EXPECT_FALSE(pattern_of("causal & window(3)")->shows_first_keys());
}

TEST(PatternOf, PointsAtWhatIsNoPattern) {
  EXPECT_EQ(message_of([] { pattern_of("causal | sparsemax"); }),
            "mechanism: found \"|\"; after a pattern stands & or the end\n"
            "  causal | sparsemax\n"
            "         ^");
  EXPECT_NE(message_of([] { pattern_of("full & softmax"); }).find("softmax is a normaliser"),
            std::string::npos);
}

TEST(PartNames, OfBeforeAreToldTheirNewOnes) {
  EXPECT_EQ(message_of([] { check_part_names(parse_spec("dot | full | none")); }),
            "mechanism: the normaliser none is called identity now\n"
            "  dot | full | none\n"
            "               ^");
}

}  // namespace
}  // namespace heed::attention
