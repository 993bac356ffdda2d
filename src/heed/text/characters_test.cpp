// SPDX-License-Identifier: Apache-2.0
#include "heed/text/characters.h"

#include <gtest/gtest.h>

namespace heed::text {
namespace {

std::unique_ptr<Tokeniser> trained(const char* line) {
  return train_characters({.kind = TokeniserKind::characters}, std::vector<std::string>{line});
}

TEST(Characters, AreCodePointsInComposedForm) {
  const auto tokeniser = trained("été");
  EXPECT_EQ(tokeniser->size(), kFirstPiece + 2);
  EXPECT_EQ(tokeniser->encode("e\u0301te\u0301").tokens, (Tokens{4, 5, 4}));
}

TEST(Characters, WriteSpacesAsAVisibleMark) {
  const auto tokeniser = trained("a b");
  const Token space = tokeniser->find("▁");
  EXPECT_NE(space, kUnknown);
  EXPECT_EQ(tokeniser->encode("  a \t b ").tokens, tokeniser->encode("a▁b").tokens);
  const Encoding encoding = tokeniser->encode("a b");
  EXPECT_EQ(encoding.tokens[1], space);
  EXPECT_EQ(encoding.words, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(tokeniser->decode(encoding.tokens).text, "a b");
}

}  // namespace
}  // namespace heed::text
