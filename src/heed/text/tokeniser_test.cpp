// SPDX-License-Identifier: Apache-2.0
// Laws that every tokeniser keeps, whatever its kind; and how files tell their kind.
#include "heed/text/tokeniser.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/testing.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

using test::get;
using test::holds;
using test::made_up_lines;
using test::message_of;
using test::put;
using test::TemporaryFolder;

constexpr TokeniserKind kKinds[] = {TokeniserKind::bpe, TokeniserKind::unigram,
                                    TokeniserKind::words, TokeniserKind::characters};

std::vector<std::string> corpus() {
  std::vector<std::string> lines = made_up_lines(400, 9);
  for (const char* line : {"L'homme dort.", "Où est l'école d'été ?", "It costs 3.14 euros, no?"}) {
    for (int i = 0; i < 5; ++i) lines.emplace_back(line);
  }
  return lines;
}

class TokeniserLaws : public ::testing::TestWithParam<TokeniserKind> {
 protected:
  std::unique_ptr<Tokeniser> trained() const {
    return train_tokeniser({.kind = GetParam(), .size = 150}, corpus());
  }
};

TEST_P(TokeniserLaws, GivesOrdinarySentencesBack) {
  const auto tokeniser = trained();
  for (const char* line : {"L'homme dort.", "bado kilu.", "It costs 3.14 euros, no?"}) {
    const Encoding encoding = tokeniser->encode(line);
    EXPECT_EQ(tokeniser->decode(encoding.tokens).text, line);
  }
}

TEST_P(TokeniserLaws, KeepsToItsSizeAndItsSpecialTokens) {
  const auto tokeniser = trained();
  EXPECT_EQ(tokeniser->kind(), GetParam());
  EXPECT_LE(tokeniser->size(), 150);
  EXPECT_GT(tokeniser->size(), 20);
  EXPECT_EQ(tokeniser->piece(kPadding), "<pad>");
  EXPECT_EQ(tokeniser->piece(kUnknown), "<unk>");
  EXPECT_EQ(tokeniser->piece(kBegin), "<s>");
  EXPECT_EQ(tokeniser->piece(kEnd), "</s>");
  for (Token token = 0; token < tokeniser->size(); ++token) {
    EXPECT_EQ(tokeniser->find(tokeniser->piece(token)), token) << tokeniser->piece(token);
  }
  EXPECT_EQ(tokeniser->find("no such piece"), kUnknown);
  EXPECT_TRUE(holds(message_of<UsageError>([&] { tokeniser->piece(-1); }), "token -1"));
  EXPECT_TRUE(holds(message_of<UsageError>([&] { tokeniser->decode(Tokens{tokeniser->size()}); }),
                    "outside the vocabulary"));
}

TEST_P(TokeniserLaws, CountsTheWordOfEveryToken) {
  const auto tokeniser = trained();
  for (const std::string line : {"  L'homme  dort. ", "bado kilu sumena.", "中文 bado 😀", ""}) {
    const Encoding encoding = tokeniser->encode(line);
    ASSERT_EQ(encoding.words.size(), encoding.tokens.size());
    const auto words = static_cast<int>(words_of(line).size());
    std::vector<bool> seen(static_cast<std::size_t>(words));
    for (std::size_t i = 0; i < encoding.words.size(); ++i) {
      ASSERT_GE(encoding.words[i], i > 0 ? encoding.words[i - 1] : 0);
      ASSERT_LT(encoding.words[i], words);
      seen[static_cast<std::size_t>(encoding.words[i])] = true;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), words) << line;
    const Decoding decoding = tokeniser->decode(encoding.tokens);
    EXPECT_EQ(decoding.words, encoding.words) << decoding.text;
  }
}

TEST_P(TokeniserLaws, LeavesSpecialTokensOutButShowsTheUnknown) {
  const auto tokeniser = trained();
  Tokens tokens = tokeniser->encode("bado kilu.").tokens;
  tokens.insert(tokens.begin(), kBegin);
  tokens.push_back(kEnd);
  tokens.push_back(kPadding);
  const Decoding decoding = tokeniser->decode(tokens);
  EXPECT_EQ(decoding.text, "bado kilu.");
  ASSERT_EQ(decoding.words.size(), tokens.size());
  EXPECT_EQ(decoding.words.front(), 0);
  EXPECT_EQ(decoding.words.back(), 1);
  const Encoding strange = tokeniser->encode("bado 中");
  EXPECT_EQ(strange.tokens.back(), kUnknown);
  EXPECT_EQ(tokeniser->decode(strange.tokens).text, "bado ⁇");
}

TEST_P(TokeniserLaws, ComesBackFromItsFileByteForByte) {
  const TemporaryFolder folder;
  const auto tokeniser = trained();
  tokeniser->save(folder / "one");
  const auto loaded = load_tokeniser(folder / "one");
  EXPECT_EQ(loaded->kind(), GetParam());
  EXPECT_EQ(loaded->size(), tokeniser->size());
  for (const std::string& line : corpus()) {
    ASSERT_EQ(loaded->encode(line).tokens, tokeniser->encode(line).tokens);
  }
  loaded->save(folder / "two");
  EXPECT_EQ(get(folder / "one"), get(folder / "two"));
}

TEST_P(TokeniserLaws, IsTheSameForTheSameLines) {
  const TemporaryFolder folder;
  trained()->save(folder / "one");
  trained()->save(folder / "two");
  EXPECT_EQ(get(folder / "one"), get(folder / "two"));
}

TEST_P(TokeniserLaws, FoldsCaseWhenAsked) {
  const auto tokeniser =
      train_tokeniser({.kind = GetParam(), .size = 120, .lower_case = true}, corpus());
  EXPECT_EQ(tokeniser->decode(tokeniser->encode("L'HOMME dort.").tokens).text, "l'homme dort.");
}

TEST_P(TokeniserLaws, RefusesLinesWithoutTextOrWithBadBytes) {
  const std::vector<std::string> empty = {"", "  "};
  EXPECT_TRUE(holds(
      message_of<UsageError>([&] { train_tokeniser({.kind = GetParam(), .size = 50}, empty); }),
      "a vocabulary needs text"));
  const std::vector<std::string> bad = {"a\xFF"};
  EXPECT_TRUE(
      holds(message_of<DataError>([&] { train_tokeniser({.kind = GetParam(), .size = 50}, bad); }),
            "is not UTF-8"));
  EXPECT_TRUE(holds(message_of<DataError>([&] { trained()->encode("a\xFF"); }), "is not UTF-8"));
}

TEST_P(TokeniserLaws, MakesSomethingOfVeryLittleText) {
  int made = 0;
  for (const char* text : {"a", "a a", "ab", "▁", "⁇", "a b c d e f g"}) {
    const std::vector<std::string> lines = {text};
    for (const Token size : {5, 8, 9, 12, 4000}) {
      try {
        const auto tokeniser = train_tokeniser({.kind = GetParam(), .size = size}, lines);
        EXPECT_LE(tokeniser->size(), size);
        EXPECT_GT(tokeniser->size(), kFirstPiece);
        tokeniser->encode(text);
        ++made;
      } catch (const UsageError& error) {
        EXPECT_TRUE(holds(error.what(), "vocabulary")) << text << " " << size;
      }
    }
  }
  EXPECT_GE(made, 4);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, TokeniserLaws, ::testing::ValuesIn(kKinds),
                         [](const auto& param) { return std::string(name_of(param.param)); });

TEST(TokeniserKind, IsCalledByTheNameAtItsPlace) {
  EXPECT_EQ(name_of(TokeniserKind::bpe), "bpe");
  EXPECT_EQ(name_of(TokeniserKind::unigram), "unigram");
  EXPECT_EQ(name_of(TokeniserKind::words), "words");
  EXPECT_EQ(name_of(TokeniserKind::characters), "characters");
  EXPECT_EQ(name_of(TokeniserKind::spaced), "spaced");
  EXPECT_EQ(name_of(TokeniserKind::bytes), "bytes");
  EXPECT_EQ(tokeniser_names().size(), 6u);
}

TEST(LoadTokeniser, RefusesFilesOfNoKind) {
  const TemporaryFolder folder;
  const auto loading = [&] { return message_of<DataError>([&] { load_tokeniser(folder / "f"); }); };
  put(folder / "f", "");
  EXPECT_TRUE(holds(loading(), "f: is not a tokeniser that Heed can read: it has no pieces"));
  put(folder / "f", "some text\n");
  EXPECT_TRUE(holds(loading(), "not a protocol buffer"));
  EXPECT_TRUE(holds(message_of<DataError>([&] { load_tokeniser(folder / "none"); }),
                    "none: cannot be opened"));
}

}  // namespace
}  // namespace heed::text
