// SPDX-License-Identifier: Apache-2.0
#include "heed/text/embeddings.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::message_of;
using test::put;
using test::TemporaryFolder;

class EmbeddingsTest : public ::testing::Test {
 protected:
  Embeddings read(const std::string& text) const {
    put(folder_ / "v", text);
    return read_embeddings(folder_ / "v", *words_);
  }
  std::string failing(const std::string& text) const {
    return message_of<DataError>([&] { read(text); });
  }
  std::vector<float> vector(const Embeddings& embeddings, const char* word) const {
    const std::span<const float> values = embeddings.vector(words_->find(word));
    return {values.begin(), values.end()};
  }

  TemporaryFolder folder_;
  std::unique_ptr<Tokeniser> words_ =
      train_tokeniser({.kind = TokeniserKind::words}, std::vector<std::string>{"the cat 5 ."});
};

TEST_F(EmbeddingsTest, AreFoundWithAndWithoutAHeader) {
  const std::string rows = "cat 1 -2.5 3e-1\ndog 4 5 6\n. 0 0 1\ncat 9 9 9\n";
  for (const std::string& text : {rows, "4 3\n" + rows}) {
    const Embeddings embeddings = read(text);
    EXPECT_EQ(embeddings.width, 3u);
    EXPECT_EQ(embeddings.read, 4u);
    EXPECT_EQ(embeddings.found, 2);
    EXPECT_EQ(vector(embeddings, "cat"), (std::vector<float>{1, -2.5f, 0.3f}));
    EXPECT_EQ(vector(embeddings, "."), (std::vector<float>{0, 0, 1}));
    EXPECT_TRUE(vector(embeddings, "the").empty());
    EXPECT_TRUE(embeddings.vector(kUnknown).empty());
    EXPECT_TRUE(embeddings.vector(-1).empty());
  }
}

TEST_F(EmbeddingsTest, PassOverPhrasesWithSpaces) {
  const Embeddings embeddings = read("the 1 2\nat name@domain 3 4\n5 6 7\n");
  EXPECT_EQ(embeddings.read, 2u);
  EXPECT_EQ(vector(embeddings, "5"), (std::vector<float>{6, 7}));
}

TEST_F(EmbeddingsTest, NameTheLineOfRaggedRowsAndOfWhatIsNoNumber) {
  EXPECT_TRUE(
      holds(failing("a 1 2\nb 1\n"), "v:2: a word and 1 numbers, and 2 numbers are needed"));
  EXPECT_TRUE(holds(failing("a 1 2\nb 1 2 3\n"), "v:2: a word and 3 numbers"));
  EXPECT_TRUE(holds(failing("2 3\nb 1 2\n"), "v:2: a word and 2 numbers, and 3"));
  EXPECT_TRUE(holds(failing("a 1 2\nb 1 x\n"), "v:2: \"x\" is not a finite number"));
  EXPECT_TRUE(holds(failing("a 1 nan\n"), "v:1: \"nan\" is not a finite number"));
  EXPECT_TRUE(holds(failing("a 1 2\n\n"), "v:2: the line is empty"));
  EXPECT_TRUE(holds(failing("lonely\n"), "v:1: the vectors have 0 numbers"));
  EXPECT_TRUE(holds(failing("9 99999999\n"), "v:1: the vectors have 99999999 numbers"));
  EXPECT_TRUE(holds(failing("2 3\n"), "there is no vector"));
  EXPECT_TRUE(holds(failing(""), "there is no vector"));
}

TEST_F(EmbeddingsTest, OfWordsServePiecesThatBeginAWord) {
  const auto subwords = train_tokeniser({.kind = TokeniserKind::unigram, .size = 40},
                                        std::vector<std::string>(20, "ba do ba do badoba"));
  const Token begins = subwords->find("▁ba");
  ASSERT_NE(begins, kUnknown);
  put(folder_ / "v", "ba 1 2\n▁ba 3 4\nba 5 6\n");
  const Embeddings embeddings = read_embeddings(folder_ / "v", *subwords);
  const std::span<const float> found = embeddings.vector(begins);
  EXPECT_EQ(std::vector<float>(found.begin(), found.end()), (std::vector<float>{3, 4}));
}

}  // namespace
}  // namespace heed::text
