// SPDX-License-Identifier: Apache-2.0
// Tests of subwords, and of the look into their files.
#include "heed/text/subwords.h"

#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"
#include "heed/text/subword_model.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::get;
using test::holds;
using test::made_up_lines;
using test::message_of;
using test::TemporaryFolder;

std::string model_bytes(TokeniserKind kind) {
  const TemporaryFolder folder;
  train_subwords({.kind = kind, .size = 60}, made_up_lines(300, 9))->save(folder / "m");
  return get(folder / "m");
}

TEST(Subwords, OfBpeTakeWhatSmallCorporaGive) {
  const std::vector<std::string> lines = {"aa ab ab", "ba ab aa"};
  const auto size_of = [&](Token size) {
    return train_subwords({.kind = TokeniserKind::bpe, .size = size}, lines)->size();
  };
  const Token most = size_of(4000);
  EXPECT_LT(most, 20);
  EXPECT_GT(most, 8);
  EXPECT_EQ(size_of(most), most);
  EXPECT_EQ(size_of(most + 1), most);
}

TEST(Subwords, OfUnigramTakeWhatSmallCorporaGive) {
  const auto tokeniser =
      train_subwords({.kind = TokeniserKind::unigram, .size = 4000}, made_up_lines(50, 5));
  EXPECT_LT(tokeniser->size(), 4000);
  EXPECT_GT(tokeniser->size(), 20);
}

TEST(Subwords, NeedRoomForEveryCharacter) {
  const std::string message = message_of<UsageError>([] {
    train_subwords({.kind = TokeniserKind::bpe, .size = 9},
                   std::vector<std::string>{"abcdefghijklmnopqrstuvwxyz"});
  });
  EXPECT_EQ(message,
            "a bpe vocabulary of 9 cannot be made of these lines: their characters and the special "
            "tokens alone take 31; raise --vocabulary-size (of heed vocabulary: --size) to 31, or "
            "leave rare characters out with a lower --coverage");
}

TEST(Subwords, NormaliseByNfkc) {
  const auto tokeniser = train_subwords({.kind = TokeniserKind::bpe, .size = 15},
                                        std::vector<std::string>{"fi ab ab fi ab fi abfi"});
  EXPECT_EQ(tokeniser->encode("ﬁ\u3000ａｂ").tokens, tokeniser->encode("fi ab").tokens);
}

TEST(Subwords, LearnFromLinesOfAnyLength) {
  std::string line;
  for (int i = 0; i < 20'000; ++i) line += "xy ";
  const auto tokeniser = train_subwords({.kind = TokeniserKind::bpe, .size = 9},
                                        std::vector<std::string>{"ab ab", line});
  EXPECT_NE(tokeniser->find("x"), kUnknown);
}

TEST(Subwords, LearnFromSomePartsOfALineOfMegabytes) {
  // Of 5 MB every second part of 8 KB.
  const auto words = [](const char* word, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += word;
    return text;
  };
  const std::string line =
      words("ab ", 8'000) + words("xy ", 600) + words("qq ", 7'000) + words("xy ", 5'000'000);
  const auto tokeniser =
      train_subwords({.kind = TokeniserKind::bpe, .size = 12}, std::vector<std::string>{line});
  for (const char* piece : {"a", "x"}) EXPECT_NE(tokeniser->find(piece), kUnknown) << piece;
  EXPECT_EQ(tokeniser->find("q"), kUnknown);
}

// SentencePiece would end the program: its trainer counts 65,535 characters of a word at most. The
// second of these has 20,000, and each becomes six.
TEST(Subwords, LearnFromWordsOfAnyLength) {
  std::string expanding;
  for (int i = 0; i < 20'000; ++i) expanding += "\u3316";
  for (const TokeniserKind kind : {TokeniserKind::bpe, TokeniserKind::unigram}) {
    const auto tokeniser = train_subwords(
        {.kind = kind, .size = 40},
        std::vector<std::string>{"ab ab", "", std::string(70'000, 'x'), expanding, "cd cd"});
    for (const char* piece : {"x", "d"}) EXPECT_NE(tokeniser->find(piece), kUnknown) << piece;
  }
}

TEST(Subwords, AreReadByAnySentencePieceReader) {
  const TemporaryFolder folder;
  const auto tokeniser =
      train_subwords({.kind = TokeniserKind::unigram, .size = 60}, made_up_lines(300, 9));
  tokeniser->save(folder / "m.model");
  sentencepiece::SentencePieceProcessor reader;
  ASSERT_TRUE(reader.Load((folder / "m.model").string()).ok());
  EXPECT_EQ(reader.EncodeAsIds("bado kilu."), tokeniser->encode("bado kilu.").tokens);
  EXPECT_EQ(reader.eos_id(), kEnd);
}

TEST(SubwordModel, IsToldByItsKind) {
  EXPECT_EQ(check_subword_model(model_bytes(TokeniserKind::bpe), "m"), TokeniserKind::bpe);
  EXPECT_EQ(check_subword_model(model_bytes(TokeniserKind::unigram), "m"), TokeniserKind::unigram);
}

TEST(SubwordModel, IsRefusedWhenCutShort) {
  const std::string bytes = model_bytes(TokeniserKind::bpe);
  for (const std::size_t size : {std::size_t{1}, std::size_t{30}, bytes.size() / 2}) {
    EXPECT_TRUE(holds(
        message_of<DataError>([&] { subwords_tokeniser(bytes.substr(0, size), "cut.model"); }),
        "cut.model: "));
  }
}

// Flips bits all over the file. Whatever is still accepted must encode and decode without a crash.
TEST(SubwordModel, NeverLeadsOutsideItselfWhenDamaged) {
  for (const TokeniserKind kind : {TokeniserKind::bpe, TokeniserKind::unigram}) {
    const std::string whole = model_bytes(kind);
    Random random(11);
    int accepted = 0;
    for (int round = 0; round < 150; ++round) {
      std::string bytes = whole;
      const std::uint64_t flips = 1 + random.integer(20);
      for (std::uint64_t flip = 0; flip < flips; ++flip) {
        bytes[random.integer(bytes.size())] ^= static_cast<char>(1 << random.integer(8));
      }
      try {
        const auto tokeniser = subwords_tokeniser(bytes, "damaged");
        const Encoding line = tokeniser->encode("bado ＫＩ lu ½ é 中文 ﬁ.");
        tokeniser->decode(line.tokens);
        ++accepted;
      } catch (const DataError&) {
      }
    }
    EXPECT_GT(accepted, 0);
    EXPECT_LT(accepted, 150);
  }
}

}  // namespace
}  // namespace heed::text
