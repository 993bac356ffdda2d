// SPDX-License-Identifier: Apache-2.0
#include "heed/text/words.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heed::text
