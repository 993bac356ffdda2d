// SPDX-License-Identifier: Apache-2.0
#include "heed/text/characters.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

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

TEST(Characters, ThatKeepSpacesGiveALineBackAsItWas) {
  const std::vector<std::string> lines = {"\tif (x)  y;  "};
  const auto tokeniser =
      train_tokeniser({.kind = TokeniserKind::characters, .spaces = Spaces::kept}, lines);
  const test::TemporaryFolder folder;
  tokeniser->save(folder / "file");
  const auto loaded = load_tokeniser(folder / "file");
  for (const Tokeniser* one : {tokeniser.get(), loaded.get()}) {
    EXPECT_EQ(one->decode(one->encode(lines[0]).tokens).text, lines[0]);
    EXPECT_EQ(one->encode(lines[0]).tokens.size(), lines[0].size());
  }
}

}  // namespace
}  // namespace heed::text
