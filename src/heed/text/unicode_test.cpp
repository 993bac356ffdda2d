// SPDX-License-Identifier: Apache-2.0
#include "heed/text/unicode.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::text {
namespace {

TEST(Unicode, TellsSpacesLettersDigitsAndSymbolsApart) {
  EXPECT_EQ(kind_of(U' '), CharacterKind::space);
  EXPECT_EQ(kind_of(U'\t'), CharacterKind::space);
  EXPECT_EQ(kind_of(U'\u00A0'), CharacterKind::space);
  EXPECT_EQ(kind_of(U'\u3000'), CharacterKind::space);
  EXPECT_EQ(kind_of(U'\x07'), CharacterKind::letter);
  EXPECT_EQ(kind_of(U'é'), CharacterKind::letter);
  EXPECT_EQ(kind_of(U'\u0301'), CharacterKind::letter);
  EXPECT_EQ(kind_of(U'中'), CharacterKind::letter);
  EXPECT_EQ(kind_of(U'7'), CharacterKind::digit);
  EXPECT_EQ(kind_of(U'٣'), CharacterKind::digit);
  EXPECT_EQ(kind_of(U'€'), CharacterKind::symbol);
  EXPECT_EQ(kind_of(U'_'), CharacterKind::symbol);
}

TEST(Unicode, TellsOpeningFromClosingBracketsAndQuotes) {
  EXPECT_EQ(bracket_of(U'('), Bracket::opening);
  EXPECT_EQ(bracket_of(U'«'), Bracket::opening);
  EXPECT_EQ(bracket_of(U'”'), Bracket::closing);
  EXPECT_EQ(bracket_of(U'"'), Bracket::none);
}

TEST(Unicode, GoesThroughCodePointsAndBack) {
  const std::string text = "aé中😀";
  std::string again;
  std::size_t at = 0;
  int count = 0;
  for (; at < text.size(); ++count) append_utf8(again, next_code_point(text, at));
  EXPECT_EQ(again, text);
  EXPECT_EQ(count, 4);
}

TEST(Unicode, KeepsASkinToneWithItsHand) {
  const std::string text = "👍🏽!";
  EXPECT_EQ(cluster_end(text, 0), 8u);
  EXPECT_EQ(cluster_end(text, 8), 9u);
}

TEST(Unicode, ComposesAccentsAndLowersCase) {
  EXPECT_EQ(composed("e\u0301te\u0301"), "été");
  EXPECT_EQ(lower_cased("ÉCOLE Straße ΑΒΓ"), "école straße αβγ");
  EXPECT_EQ(lower_cased("Plain"), "plain");
}

TEST(Unicode, NamesTheFirstByteThatIsNotUtf8) {
  const std::string message = test::message_of<DataError>([] { require_utf8("ab\xE9"); });
  EXPECT_NE(message.find("byte 3 (0xE9)"), std::string::npos) << message;
}

}  // namespace
}  // namespace heed::text
