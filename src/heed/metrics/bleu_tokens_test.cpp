// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/bleu_tokens.h"

#include <gtest/gtest.h>

#include "heed/base/text.h"

namespace heed::metrics {
namespace {

std::string cut(std::string_view line, BleuTokens tokens = BleuTokens::v13a) {
  return join(bleu_tokens(line, tokens), " ");
}

TEST(BleuTokens, CutPunctuationOffWords) {
  EXPECT_EQ(cut("\"Yes,\" he said (twice)."), "\" Yes , \" he said ( twice ) .");
  EXPECT_EQ(cut("a/b: 50% off!"), "a / b : 50 % off !");
}

TEST(BleuTokens, LeaveNumbersWhole) {
  EXPECT_EQ(cut("3.14 and 1,000,000."), "3.14 and 1,000,000 .");
  EXPECT_EQ(cut("costs .50, or 5."), "costs . 50 , or 5 .");
}

TEST(BleuTokens, CutHyphensBehindDigitsOnly) {
  EXPECT_EQ(cut("1998-2003, well-known, F-16"), "1998 - 2003 , well-known , F-16");
}

TEST(BleuTokens, LeaveApostrophesInside) {
  EXPECT_EQ(cut("It isn't l'homme's"), "It isn't l'homme's");
}

TEST(BleuTokens, ReadEntitiesAndForgetSkippedParts) {
  EXPECT_EQ(cut("&quot;A&amp;B&quot; &lt;c&gt;<skipped>"), "\" A & B \" < c >");
}

TEST(BleuTokens, CutOncePerPassWherePointsFollowEachOther) {
  EXPECT_EQ(cut("wait..."), "wait . . .");
  EXPECT_EQ(cut("1..2"), "1 . . 2");
  EXPECT_EQ(cut("€.5"), "€ . 5") << "a letter beyond ASCII precedes";
}

TEST(BleuTokens, MayBeWordsOrCharacters) {
  EXPECT_EQ(cut("Yes, it\u00A0is.", BleuTokens::none), "Yes, it is.");
  EXPECT_EQ(cut("où est?", BleuTokens::characters), "o ù e s t ?");
  EXPECT_EQ(name_of(BleuTokens::v13a), "13a");
}

}  // namespace
}  // namespace heed::metrics
