// SPDX-License-Identifier: Apache-2.0
#include "heed/text/words.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

namespace heed::text {
namespace {

TEST(Words, GivePunctuationTheWordItHangsOn) {
  const std::vector<std::string> lines = {"L'homme dort, dit-il."};
  const auto tokeniser = train_words({.kind = TokeniserKind::words}, lines);
  const Encoding encoding = tokeniser->encode(lines[0]);  // L' homme dort , dit - il .
  EXPECT_EQ(encoding.words, (std::vector<int>{0, 0, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(tokeniser->decode(encoding.tokens).words, encoding.words);
  EXPECT_EQ(tokeniser->piece(tokeniser->find("L'")), "L'");
}

TEST(Words, TreatComposedAndDecomposedAccentsAlike) {
  const auto tokeniser =
      train_words({.kind = TokeniserKind::words}, std::vector<std::string>{"été"});
  EXPECT_EQ(tokeniser->encode("e\u0301te\u0301").tokens, (Tokens{kFirstPiece}));
}

TEST(SpacedWords, AreWhatWhiteSpaceSeparatesAndNothingElse) {
  const std::vector<std::string> lines = {"do n't pay $ N , mr. <unk> said"};
  const auto tokeniser = train_tokeniser({.kind = TokeniserKind::spaced}, lines);
  EXPECT_EQ(tokeniser->kind(), TokeniserKind::spaced);
  EXPECT_EQ(tokeniser->size(), 4 + 8);
  const Encoding line = tokeniser->encode("  mr. <unk>  did n't , pay ");
  ASSERT_EQ(line.tokens.size(), 6u);
  EXPECT_EQ(line.tokens[1], kUnknown);
  EXPECT_EQ(line.words, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(tokeniser->decode(line.tokens).text, "mr. \u2047 \u2047 n't , pay");
  const test::TemporaryFolder folder;
  tokeniser->save(folder / "file");
  EXPECT_EQ(load_tokeniser(folder / "file")->encode("mr. pay").tokens,
            tokeniser->encode("mr. pay").tokens);
}

}  // namespace
}  // namespace heed::text
