// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/trace/label.h"

#include <gtest/gtest.h>

namespace heed::insight {
namespace {

using Words = std::vector<std::string>;

TEST(LabelOf, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(label_of("cat"), "cat");
  EXPECT_EQ(label_of("\x1b[31mred"), "␛[31mred");
  EXPECT_EQ(label_of("\n"), "␊");
  EXPECT_EQ(label_of(" "), "␣");
  EXPECT_EQ(label_of(" a cat  "), "␣a cat␣␣");
  EXPECT_EQ(label_of("\x7f"), "␡");
  EXPECT_EQ(label_of("\xc2\x9b"
                     "31m"),
            "�31m");  // the one-character form of escape and bracket
  EXPECT_EQ(label_of(""), "∅");
}

TEST(LabelOf, KeepsEveryScriptAndDropsWhatTurnsDirections) {
  EXPECT_EQ(labels_of(Words{"שלום", "猫", "é", "▁ca"}), (Words{"שלום", "猫", "é", "▁ca"}));
  EXPECT_EQ(label_of("a\u202Eb\u2066c"), "abc");
  EXPECT_EQ(label_of("\u202E"), "∅");
}

TEST(LabelOf, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(label_of("a\xff\xfe"
                     "b"),
            "a��b");
  EXPECT_EQ(label_of("\xe7\x8c"), "��");  // a character cut short
}

TEST(LabelOfLine, KeepsSpaces) {
  EXPECT_EQ(label_of_line("the  cat\x1b sat"), "the  cat␛ sat");
  EXPECT_EQ(label_of_line(""), "");
}

TEST(LettersOf, KeepsMarksWithTheirLetters) {
  EXPECT_EQ(letters_of("ab猫"), (Words{"a", "b", "猫"}));
  EXPECT_EQ(letters_of("e\u0301te"), (Words{"e\u0301", "t", "e"}));
}

TEST(WordOf, JoinsPiecesWithoutTheirMarks) {
  EXPECT_EQ(word_of(Words{"▁ca", "t"}), "cat");
  EXPECT_EQ(word_of(Words{"ca@@", "t"}), "cat");
  EXPECT_EQ(word_of(Words{"cat"}), "cat");
}

TEST(LooksSpecial, KnowsEndsAndMarksButNotWordsInBrackets) {
  for (const char* token : {"<s>", "</s>", "<PAD>", "[CLS]", "[SEP]"}) {
    EXPECT_TRUE(looks_special(token)) << token;
  }
  for (const char* token : {"s", "<unk>", "<", "[12]", "cat", ""}) {
    EXPECT_FALSE(looks_special(token)) << token;
  }
}

}  // namespace
}  // namespace heed::insight
