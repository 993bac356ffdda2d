// SPDX-License-Identifier: Apache-2.0
// Parts by their written names: patterns alone, and names that are none.
#include "heed/attention/make_parts.h"

#include <gtest/gtest.h>

#include "heed/attention/bias.h"
#include "heed/attention/normalise.h"
#include "heed/attention/score.h"
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

TEST(NormaliserOf, MakesANormaliserOfItsWrittenForm) {
  const auto entmax = normaliser_of("entmax(alpha=1.25)");
  EXPECT_EQ(entmax->written(), "entmax(alpha=1.25)");
  const Tensor scores = Tensor::of({3}, {1, 0.5, -4});
  EXPECT_EQ(normalise(*entmax, scores).value().values(),
            heed::attention::entmax(scores, 1.25).value().values());
}

TEST(NormaliserOf, PointsAtWhatIsNoneAndAtOptionsItDoesNotTake) {
  EXPECT_NE(message_of([] { normaliser_of("causal"); }).find("causal is a pattern"),
            std::string::npos);
  EXPECT_NE(message_of([] { normaliser_of("sotfmax"); }).find("there is no normaliser \"sotfmax\""),
            std::string::npos);
  EXPECT_NE(message_of([] { normaliser_of("entmax(beta=2)"); }).find("beta"), std::string::npos);
  EXPECT_THROW(normaliser_of(""), UsageError);
}

TEST(ScoreOfAndBiasOf, MakePartsOfTheirWrittenForms) {
  EXPECT_EQ(score_of("scaled_dot")->written(), "scaled_dot");
  EXPECT_EQ(bias_of("alibi")->written(), "alibi");
  EXPECT_NE(message_of([] { score_of("alibi"); }).find("alibi is a bias"), std::string::npos);
}

TEST(PartNames, OfBeforeAreToldTheirNewOnes) {
  EXPECT_EQ(message_of([] { check_part_names(parse_spec("dot | full | none")); }),
            "mechanism: the normaliser none is called identity now\n"
            "  dot | full | none\n"
            "               ^");
}

}  // namespace
}  // namespace heed::attention
