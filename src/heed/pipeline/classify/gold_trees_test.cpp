// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/classify/gold_trees.h"

#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

std::vector<text::LabelledText> two_texts() {
  return {{.labels = {"plural"}, .text = "the keys rust"}, {.labels = {"one"}, .text = "rust"}};
}

TEST(GoldTrees, AreReadBesideTheirTexts) {
  test::TemporaryFolder folder;
  write_atomically(folder / "a.heads", "2 3 0\n0\n");
  const auto trees = read_trees(folder / "a.heads", two_texts(), "a.tsv");
  ASSERT_EQ(trees.size(), 2U);
  EXPECT_EQ(trees[0], (text::Heads{1, 2, 2}));
  EXPECT_EQ(trees[1], (text::Heads{0}));
}

TEST(GoldTrees, NameTheLineThatDoesNotFit) {
  test::TemporaryFolder folder;
  const auto message = [&](const char* content) {
    write_atomically(folder / "a.heads", content);
    return test::message_of<DataError>(
        [&] { read_trees(folder / "a.heads", two_texts(), "a.tsv"); });
  };
  EXPECT_NE(message("2 0\n0\n").find("a.heads:1: 2 heads for the 3 words of text 1 of a.tsv"),
            std::string::npos);
  EXPECT_NE(message("2 3 0\n0\n0\n").find("has 3 lines and a.tsv has 2 texts"), std::string::npos);
  EXPECT_NE(message("2 3 0\n").find("has 1 line and a.tsv has 2 texts"), std::string::npos);
  EXPECT_NE(message("2 1 0\n0\n").find("a.heads:1: "), std::string::npos);
}

TEST(GoldTrees, HangWordsOfSeveralTokensOnTheirFirst) {
  // "door , keys": the comma belongs to the first word.
  const std::vector<int> words = {0, 0, 1, -1};
  EXPECT_EQ(token_heads({1, 1}, words), (text::Heads{2, 0, 2}));
  const std::vector<std::int32_t> tokens = {2, 0, 2, -1};
  EXPECT_EQ(word_heads(tokens, words, 2), (text::Heads{1, 1}));
  // A word without a token, and one that was cropped away.
  EXPECT_EQ(word_heads(tokens, words, 3), (text::Heads{1, 1, 1}));
}

TEST(GoldTrees, OfACroppedTextAreNotKnown) {
  const text::Heads two = {1, 1}, three = {0, 0, 1};
  const std::vector<const text::Heads*> trees = {&two, &three};
  const std::vector<text::Tokens> tokens = {{5, 6, text::kEnd}, {5, 6, text::kEnd}};
  const TreeTargets targets = tree_targets(trees, text::pad_rows(tokens));
  EXPECT_EQ(targets.words.values(), (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(targets.heads.values(), (std::vector<std::int32_t>{1, 1, -1, -1, -1, -1}));
}

TEST(TreeQuality, CountsHeadsTreesAndBothBranchings) {
  TreeQuality quality;
  quality.add({1, 2, 2}, {1, 2, 2});  // each word on the next: left-branching
  quality.add({0, 0, 1}, {0, 0, 2});  // each on the one before; the last head is wrong
  EXPECT_EQ(quality.words, 6);
  EXPECT_NEAR(quality.attachment(), 5. / 6, 1e-12);
  EXPECT_EQ(quality.trees, 2);
  EXPECT_EQ(quality.whole, 1);
  EXPECT_EQ(quality.left_branching, 3);
  EXPECT_EQ(quality.right_branching, 3);
}

TEST(TreeQuality, IsOfAModelThatFindsTrees) {
  const std::vector<text::Heads> gold = {{0}};
  const std::vector<Classification> found(1);
  const std::string message = test::message_of<UsageError>([&] { tree_quality(gold, found); });
  EXPECT_NE(message.find("--syntax"), std::string::npos);
  EXPECT_THROW(tree_quality(gold, {}), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
