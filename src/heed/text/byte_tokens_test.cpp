// SPDX-License-Identifier: Apache-2.0
#include "heed/text/byte_tokens.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::text {
namespace {

constexpr Token byte_token(int byte) {
  return kFirstPiece + byte;
}

std::unique_ptr<Tokeniser> trained(Spaces spaces = Spaces::squeezed) {
  return train_tokeniser({.kind = TokeniserKind::bytes, .spaces = spaces},
                         std::vector<std::string>{"a b"});
}

TEST(ByteTokens, AreTheBytesOfATextWhateverTheVocabularyWasMadeOf) {
  const auto tokeniser = trained();
  EXPECT_EQ(tokeniser->size(), 260);
  EXPECT_EQ(tokeniser->kind(), TokeniserKind::bytes);
  // é is C3 A9 in UTF-8.
  EXPECT_EQ(tokeniser->encode("zé").tokens,
            (Tokens{byte_token('z'), byte_token(0xC3), byte_token(0xA9)}));
  EXPECT_TRUE(tokeniser->encode("中文 😀").unknown.empty());
  for (const char* line :
       {"L'homme dort.", "Où est l'école d'été ?", "中文 bado 😀", "a\\b<0x41>"}) {
    const Encoding encoding = tokeniser->encode(line);
    EXPECT_EQ(encoding.tokens.size(), std::string_view(line).size());
    EXPECT_EQ(tokeniser->decode(encoding.tokens).text, line);
    EXPECT_EQ(tokeniser->decode(encoding.tokens).words, encoding.words);
  }
}

TEST(ByteTokens, HaveAPieceEach) {
  const auto tokeniser = trained();
  for (Token token = 0; token < tokeniser->size(); ++token) {
    EXPECT_EQ(tokeniser->find(tokeniser->piece(token)), token) << tokeniser->piece(token);
  }
  EXPECT_EQ(tokeniser->piece(byte_token('x')), "x");
  EXPECT_EQ(tokeniser->piece(byte_token(' ')), "▁");
  EXPECT_EQ(tokeniser->piece(byte_token(0xC3)), "<0xC3>");
  EXPECT_EQ(tokeniser->find("no such piece"), kUnknown);
  EXPECT_THROW(tokeniser->piece(260), UsageError);
}

TEST(ByteTokens, SqueezeOrKeepSpacesAndCountWords) {
  const Encoding squeezed = trained()->encode("  ab \t c ");
  EXPECT_EQ(squeezed.tokens,
            (Tokens{byte_token('a'), byte_token('b'), byte_token(' '), byte_token('c')}));
  EXPECT_EQ(squeezed.words, (std::vector<int>{0, 0, 1, 1}));
  const auto kept = trained(Spaces::kept);
  EXPECT_EQ(kept->decode(kept->encode("\tif (x)  y;  ").tokens).text, "\tif (x)  y;  ");
}

TEST(ByteTokens, ThatAreNoTextTogetherShowAsReplaced) {
  const auto tokeniser = trained();
  const Tokens half = {byte_token('a'), byte_token(0xC3), byte_token('b'), kEnd};
  const Decoding decoding = tokeniser->decode(half);
  EXPECT_EQ(decoding.text, "a\uFFFDb");
  EXPECT_EQ(decoding.words, (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(tokeniser->decode(Tokens{byte_token(0xFF), kUnknown}).text, "\uFFFD⁇");
  EXPECT_TRUE(tokeniser->decode(Tokens{kBegin, kEnd}).text.empty());
}

TEST(ByteTokens, ComeBackFromTheirFileWhichTakesNoOtherPieces) {
  const test::TemporaryFolder folder;
  trained()->save(folder / "one");
  const std::string written = test::get(folder / "one");
  EXPECT_TRUE(written.starts_with("heed-vocabulary 1 kind=bytes lower_case=no\n<0x00>\t0\n"));
  const auto loaded = load_tokeniser(folder / "one");
  EXPECT_EQ(loaded->encode("été").tokens, trained()->encode("été").tokens);
  loaded->save(folder / "two");
  EXPECT_EQ(test::get(folder / "two"), written);
  const auto refused = [&](const std::string& text) {
    test::put(folder / "bad", text);
    const std::string message =
        test::message_of<DataError>([&] { load_tokeniser(folder / "bad"); });
    return message.substr(message.find("bad:"));
  };
  EXPECT_EQ(refused("heed-vocabulary 1 kind=bytes\na\n"),
            "bad:2: kind=bytes has the piece <0x00> in this line");
  EXPECT_EQ(refused(written + "more\t1\n"),
            "bad:258: kind=bytes has 256 pieces and no more; remove the line");
}

TEST(ByteTokens, NeedRoomForAllBytes) {
  EXPECT_EQ(test::message_of<UsageError>(
                [] { train_bytes({.kind = TokeniserKind::bytes, .size = 259}, {}); }),
            "a vocabulary of 259 has no room for bytes: they take 260 tokens");
  EXPECT_THROW(trained()->encode("a\xFF"), DataError);
}

}  // namespace
}  // namespace heed::text
