// SPDX-License-Identifier: Apache-2.0
#include "heed/text/white_space.h"

#include <gtest/gtest.h>

#include "heed/text/unicode.h"

namespace heed::text {
namespace {

TEST(WhiteSpace, SeparatesWordsOfAnyScript) {
  const std::vector<std::string_view> words = words_of("  le\u00A0chat\tdort 中\u3000文 ");
  EXPECT_EQ(words, (std::vector<std::string_view>{"le", "chat", "dort", "中", "文"}));
  EXPECT_TRUE(words_of(" \t\u00A0").empty());
}

TEST(WhiteSpace, GivesEachSpanTheWordOfItsFirstVisibleCharacter) {
  //                          0123456789
  const std::string line = "le chat  dort";
  const std::vector<ByteSpan> spans = {{0, 2}, {2, 5}, {5, 7}, {7, 9}, {8, 13}, {13, 13}};
  EXPECT_EQ(words_at(line, spans), (std::vector<int>{0, 1, 1, 2, 2, 2}));
}

TEST(WhiteSpace, PutsSpansWithoutTextIntoTheWordBefore) {
  const std::vector<ByteSpan> spans = {{0, 0}, {2, 2}, {3, 3}};
  EXPECT_EQ(words_at("le chat", spans), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(words_at("", std::vector<ByteSpan>{{0, 0}}), (std::vector<int>{0}));
  EXPECT_EQ(words_at("le ", std::vector<ByteSpan>{{2, 3}}), (std::vector<int>{0}));
}

TEST(WhiteSpace, IsSqueezedToSingleSpaces) {
  EXPECT_EQ(squeezed("  a \t b\u3000c "), "a b c");
}

TEST(WhiteSpace, TakesThePlaceOfMarks) {
  EXPECT_EQ(spaced("▁a▁▁b", "▁"), " a  b");
  EXPECT_EQ(spaced("ab", "▁"), "ab");
}

TEST(WhiteSpace, IsWhatUnicodeSaysOfEveryCharacter) {
  for (char32_t character = 1; character < 0x11000; ++character) {
    if (character >= 0xD800 && character < 0xE000) continue;
    std::string text;
    append_utf8(text, character);
    const bool space = kind_of(character) == CharacterKind::space;
    EXPECT_EQ(space_bytes(text, 0), space ? text.size() : 0u) << static_cast<unsigned>(character);
    EXPECT_EQ(is_blank(text + " "), space);
  }
  EXPECT_TRUE(is_blank(""));
  EXPECT_FALSE(is_blank("\xE2\x80"));  // cut short: no white space, and no text either
}

}  // namespace
}  // namespace heed::text
