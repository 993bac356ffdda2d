// SPDX-License-Identifier: Apache-2.0
#include "heed/text/long_text.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::put;

std::unique_ptr<Tokeniser> characters() {
  const std::vector<std::string> lines = {"ab  c\td"};
  return train_tokeniser({.kind = TokeniserKind::characters, .spaces = Spaces::kept}, lines);
}

std::string shown(const Tokeniser& tokeniser, const Tokens& tokens) {
  std::string text;
  for (const Token token : tokens) {
    text += token == kEnd ? "\n" : tokeniser.decode(std::span(&token, 1)).text;
  }
  return text;
}

TEST(LongText, OfCharactersKeepsEverySpaceAndEndOfLine) {
  const auto tokeniser = characters();
  const test::TemporaryFolder folder;
  const std::string text = "  ab\n\n\tc  d\n";
  put(folder / "text", text);
  const LongText read = read_long_text(folder / "text", *tokeniser, LineEnds::token);
  EXPECT_EQ(shown(*tokeniser, read.tokens), text);
  EXPECT_EQ(read.characters, text.size());
  EXPECT_EQ(read.lines, 3u);
  EXPECT_EQ(read.unknown, 0u);
  EXPECT_EQ(long_text("\xC3\xA4\xE2\x82\xAC\n", *tokeniser, LineEnds::token).characters, 3u);
}

TEST(LongText, OfWordsEndsEachLineOrLetsThemRunOn) {
  const std::vector<std::string> lines = {"the cat <unk> N"};
  const auto tokeniser = train_tokeniser({.kind = TokeniserKind::spaced}, lines);
  const LongText ended = long_text("the cat\n<unk> dog\n", *tokeniser, LineEnds::token);
  const Token the = tokeniser->find("the"), cat = tokeniser->find("cat");
  EXPECT_EQ(ended.tokens, (Tokens{the, cat, kEnd, kUnknown, kUnknown, kEnd}));
  EXPECT_EQ(ended.unknown, 2u);
  const LongText running = long_text("the cat\nthe", *tokeniser, LineEnds::space);
  EXPECT_EQ(running.tokens, (Tokens{the, cat, the}));
  EXPECT_EQ(running.characters, 11u);
}

TEST(LongText, GivesUpItsEnd) {
  const auto tokeniser = characters();
  LongText text = long_text("aaaaaaaabb", *tokeniser, LineEnds::token);
  const LongText end = text.take_end(.2);
  EXPECT_EQ(shown(*tokeniser, text.tokens), "aaaaaaaa");
  EXPECT_EQ(shown(*tokeniser, end.tokens), "bb");
  EXPECT_EQ(end.characters, 2u);
}

TEST(LongText, WithoutALineOfTextIsRefused) {
  const test::TemporaryFolder folder;
  put(folder / "text", "\n  \n");
  EXPECT_THROW(read_long_text(folder / "text", *characters(), LineEnds::token), DataError);
}

}  // namespace
}  // namespace heed::text
