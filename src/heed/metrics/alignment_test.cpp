// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/alignment.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

AlignmentScore score(std::string_view found, std::string_view gold) {
  const std::vector<text::Alignment> a = {text::parse_pharaoh(found)};
  const std::vector<text::Alignment> b = {text::parse_pharaoh(gold)};
  return alignment_score(a, b);
}

TEST(AlignmentScore, IsZeroErrorForTheGoldItselfAndForItsSureLinksAlone) {
  EXPECT_EQ(score("0-0 1-1 2-1", "0-0 1-1 2p1").error_rate(), 0);
  EXPECT_EQ(score("0-0 1-1", "0-0 1-1 2p1").error_rate(), 0);
}

TEST(AlignmentScore, FollowsTheDefinition) {
  // Four found: two sure, one possible, one wrong; of three sure ones one is missed.
  const AlignmentScore found = score("0-0 1-1 2-2 3-0", "0-0 1-1 2p2 3-3");
  EXPECT_DOUBLE_EQ(found.precision(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(found.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.error_rate(), 1 - (2.0 + 3.0) / (4 + 3));
}

TEST(AlignmentScore, IsAllErrorWithoutACommonLink) {
  EXPECT_EQ(score("0-1", "1-0").error_rate(), 1);
  EXPECT_EQ(score("", "1-0").error_rate(), 1);
  EXPECT_EQ(score("", "").error_rate(), 0) << "nothing wanted, nothing found";
}

TEST(AlignmentScore, CountsLinksOfAllSentencesTogether) {
  const std::vector<text::Alignment> found = {text::parse_pharaoh("0-0 1-1 2-2"), {}};
  const std::vector<text::Alignment> gold = {text::parse_pharaoh("0-0 1-1 2-2"),
                                             text::parse_pharaoh("0-0")};
  EXPECT_DOUBLE_EQ(alignment_score(found, gold).error_rate(), 1 - 6.0 / 7);
  EXPECT_THROW(alignment_score(found, std::span(gold).first(1)), UsageError);
}

}  // namespace
}  // namespace heed::metrics
