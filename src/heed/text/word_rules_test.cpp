// SPDX-License-Identifier: Apache-2.0
// Tests of how lines are cut into words and joined again.
#include "heed/text/word_rules.h"

#include <gtest/gtest.h>

#include "heed/base/random.h"
#include "heed/text/unicode.h"

namespace heed::text {
namespace {

std::vector<std::string> cut(std::string_view line) {
  std::vector<std::string> pieces;
  for (const ByteSpan& span : cut_words(line)) {
    pieces.emplace_back(line.substr(span.begin, span.end - span.begin));
  }
  return pieces;
}

std::string cut_and_joined(std::string_view line) {
  const std::vector<std::string> pieces = cut(line);
  return join_words(std::vector<std::string_view>(pieces.begin(), pieces.end())).text;
}

using Pieces = std::vector<std::string>;

TEST(CutWords, EndsAPieceAtAnApostropheBetweenLetters) {
  EXPECT_EQ(cut("l'homme"), (Pieces{"l'", "homme"}));
  EXPECT_EQ(cut("don't aujourd’hui"), (Pieces{"don'", "t", "aujourd’", "hui"}));
  EXPECT_EQ(cut("'so' dogs'"), (Pieces{"'", "so", "'", "dogs", "'"}));
}

TEST(CutWords, KeepsNumbersWhole) {
  EXPECT_EQ(cut("3.14 1,000 12:30."), (Pieces{"3.14", "1,000", "12:30", "."}));
  EXPECT_EQ(cut("-5 to 7-5"), (Pieces{"-5", "to", "7", "-", "5"}));
  EXPECT_EQ(cut("1, 2"), (Pieces{"1", ",", "2"}));
}

TEST(CutWords, MakesPunctuationAndSymbolsPiecesOfTheirOwn) {
  EXPECT_EQ(cut("Wait... (what?)"), (Pieces{"Wait", ".", ".", ".", "(", "what", "?", ")"}));
  EXPECT_EQ(cut("a+b=c €5"), (Pieces{"a", "+", "b", "=", "c", "€", "5"}));
  EXPECT_EQ(cut("ok👍🏽ok"), (Pieces{"ok", "👍🏽", "ok"}));
}

TEST(CutWords, KeepsAbbreviationsOfSingleLetters) {
  EXPECT_EQ(cut("the U.S.A. is, e.g., big.Very"),
            (Pieces{"the", "U.S.A", ".", "is", ",", "e.g", ".", ",", "big", ".", "Very"}));
}

TEST(CutWords, LosesNothingButWhiteSpace) {
  Random random(5);
  constexpr std::u32string_view kCharacters = U"ab1 .,'’-:é\u0301中€(\"👍🏽";
  for (int round = 0; round < 2000; ++round) {
    std::string line;
    for (std::uint64_t i = random.integer(12); i > 0; --i) {
      append_utf8(line, kCharacters[random.integer(kCharacters.size())]);
    }
    std::string pieces;
    for (const std::string& piece : cut(line)) pieces += piece;
    std::erase(line, ' ');
    ASSERT_EQ(pieces, line);
  }
}

TEST(JoinWords, GivesOrdinarySentencesBack) {
  for (const char* line : {
           "L'homme dort.",
           "I don't know, do you?",
           "Two well-known men (and a dog) sit; one says: \"Hello, world!\"",
           "He said „Guten Tag“ and “bye” to 3.5% of them…",
           "¿Qué tal? It costs $5.50 or 6 €!",
           "Temperatures of -5 to 20°C at 12:30 in the U.S. and/or #5.",
           "Der Mann – ja – geht.",
           "她说：好。",
       }) {
    EXPECT_EQ(cut_and_joined(line), line);
  }
}

TEST(JoinWords, SaysWhereEachPieceCameToStand) {
  const JoinedWords joined = join_words(std::vector<std::string_view>{"l'", "an", "."});
  EXPECT_EQ(joined.text, "l'an.");
  ASSERT_EQ(joined.spans.size(), 3u);
  EXPECT_EQ(joined.spans[1].begin, 2u);
  EXPECT_EQ(joined.spans[1].end, 4u);
}

}  // namespace
}  // namespace heed::text
