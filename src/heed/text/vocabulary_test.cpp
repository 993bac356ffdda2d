// SPDX-License-Identifier: Apache-2.0
// Tests of the vocabulary of words and characters, and of its file.
#include "heed/text/vocabulary.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::message_of;

const std::string kHeader = "heed-vocabulary 1 kind=words lower_case=no\n";

std::string parsing(const std::string& text) {
  return message_of<DataError>([&] { parse_vocabulary(text, "v"); });
}

TEST(Vocabulary, KeepsTheMostFrequentPiecesInOrder) {
  PieceCounter counter;
  for (const char* piece : {"b", "a", "c", "b", "d", "a", "b"}) counter.add(piece);
  const Vocabulary vocabulary = counter.most_frequent({.size = 7});
  EXPECT_EQ(vocabulary.size(), 7);
  EXPECT_EQ(vocabulary.find("b"), 4);
  EXPECT_EQ(vocabulary.find("a"), 5);
  EXPECT_EQ(vocabulary.find("c"), 6);  // as frequent as d, and before it
  EXPECT_EQ(vocabulary.find("d"), kUnknown);
  EXPECT_EQ(counter.most_frequent({.size = 99, .least_count = 2}).size(), 6);
}

TEST(Vocabulary, PutsPiecesOfEqualCountInTheOrderOfTheirBytes) {
  PieceCounter counter;
  for (char c = 'z'; c >= 'a'; --c) {
    counter.add(std::string(2, c));
    counter.add(std::string(1, c));
  }
  const Vocabulary vocabulary = counter.most_frequent({.size = 99});
  ASSERT_EQ(vocabulary.size(), kFirstPiece + 52);
  for (Token token = kFirstPiece + 1; token < vocabulary.size(); ++token) {
    EXPECT_LT(vocabulary.piece(token - 1), vocabulary.piece(token));
  }
}

TEST(Vocabulary, NeedsRoomAndText) {
  PieceCounter counter;
  counter.add("a");
  EXPECT_TRUE(holds(message_of<UsageError>([&] { counter.most_frequent({.size = 4}); }),
                    "a vocabulary of 4 has no room for text"));
  EXPECT_TRUE(holds(message_of<UsageError>([&] { counter.most_frequent({.least_count = 2}); }),
                    "no piece of the lines comes 2 times or more"));
}

TEST(Vocabulary, IsWrittenAsTextThatComesBack) {
  VocabularyFile file{.kind = TokeniserKind::characters, .lower_case = true};
  for (const char* piece : {"▁", "é", "\\", "\x07", "#", "\u200D"}) file.vocabulary.add(piece, 2);
  const std::string text = format_vocabulary(file);
  EXPECT_EQ(text,
            "heed-vocabulary 1 kind=characters lower_case=yes\n"
            "▁\t2\né\t2\n\\\\\t2\n\\u{7}\t2\n#\t2\n\\u{200d}\t2\n");
  const VocabularyFile again = parse_vocabulary(text, "v");
  EXPECT_EQ(again.kind, TokeniserKind::characters);
  EXPECT_TRUE(again.lower_case);
  EXPECT_EQ(again.vocabulary.find("\x07"), 7);
  EXPECT_EQ(format_vocabulary(again), text);
}

TEST(Vocabulary, MayBeEditedByHand) {
  const VocabularyFile file = parse_vocabulary("\xEF\xBB\xBF" + kHeader + "le\t9\r\nchat\r\n", "v");
  EXPECT_EQ(file.vocabulary.find("chat"), 5);
  EXPECT_EQ(file.vocabulary.entries()[1].count, 0);
}

TEST(Vocabulary, NamesTheLineOfEveryMistake) {
  EXPECT_TRUE(holds(parsing(kHeader), "v:1: there is no piece at all"));
  EXPECT_TRUE(holds(parsing(kHeader + "le\t1\nle\t2\n"), "v:3: \"le\" is there already"));
  EXPECT_TRUE(holds(parsing(kHeader + "<pad>\t1\n"), "v:2: \"<pad>\" is there already or is a "));
  EXPECT_TRUE(holds(parsing(kHeader + "le\t-1\n"), "v:2: the count is \"-1\""));
  EXPECT_TRUE(holds(parsing(kHeader + "le\t1\t2\n"), "v:2: the count is \"1\t2\""));
  EXPECT_TRUE(holds(parsing(kHeader + "a\n\nb\n"), "v:3: there is no piece; remove the line"));
  EXPECT_TRUE(holds(parsing(kHeader + "le chat\t1\n"), "v:2: the piece holds white space"));
  EXPECT_TRUE(holds(parsing(kHeader + "a\\n\t1\n"), "v:2: a backslash is followed by neither"));
  EXPECT_TRUE(holds(parsing(kHeader + "\\u{D800}\t1\n"), "v:2: a backslash"));
  EXPECT_TRUE(holds(parsing(kHeader + "\\u{110000}\t1\n"), "v:2: a backslash"));
  EXPECT_TRUE(holds(parsing(kHeader + "caf\xE9\t1\n"), "v:2: is not UTF-8"));
  EXPECT_TRUE(holds(parsing("heed-vocabulary 2 kind=words\na\n"), "a newer version"));
  EXPECT_TRUE(holds(parsing("heed-vocabulary 1 kind=bpe\na\n"), "v:1: the first line has "));
}

}  // namespace
}  // namespace heed::text
