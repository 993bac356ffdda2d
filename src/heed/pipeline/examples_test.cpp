// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/examples.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

using Texts = std::vector<std::string>;

TEST(Examples, AreSpreadOverAllTextsAndFitToBeRead) {
  Texts texts;
  for (int i = 0; i < 100; ++i) texts.push_back("text " + std::to_string(i));
  EXPECT_EQ(chosen_examples(texts, 4), (Texts{"text 0", "text 25", "text 50", "text 75"}));
  texts[25] = std::string(kLongestExample + 1, 'a');
  texts[50] = "two\nlines";
  texts[75] = "text 0";
  EXPECT_EQ(chosen_examples(texts, 4), (Texts{"text 0", "text 26", "text 51", "text 76"}));
  EXPECT_EQ(chosen_examples(texts, 0), Texts{});
  EXPECT_EQ(chosen_examples(Texts{"one"}, 4), Texts{"one"});
  EXPECT_EQ(chosen_examples(Texts{}, 4), Texts{});
}

TEST(Examples, AreKeptInAFolderAndRemovedFromIt) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_examples(folder.path()), Texts{});
  write_examples(folder.path(), Texts{"The cat sleeps.", "a\tb", "Où ?"});
  EXPECT_EQ(read_examples(folder.path()), (Texts{"The cat sleeps.", "a\tb", "Où ?"}));
  write_examples(folder.path(), Texts{});
  EXPECT_FALSE(std::filesystem::exists(folder / "examples.txt"));
  write_examples(folder.path(), Texts{});
  EXPECT_EQ(read_examples(folder / "nothing"), Texts{});
}

TEST(Examples, AreLeftOutWhereTheyAreNotFitToBeShown) {
  EXPECT_EQ(parse_examples("good\n\n  \nbad \x1b[31m\n\xff\na\tb\tc\n" + std::string(300, 'x') +
                           "\nlast"),
            (Texts{"good", "last"}));
  std::string many;
  for (int i = 0; i < 100; ++i) many += "line\n";
  EXPECT_EQ(parse_examples(many).size(), kMostExamples);
  const test::TemporaryFolder folder;
  test::put(folder / "examples.txt", std::string(10 << 20, 'x') + "\nfar away\n");
  EXPECT_EQ(read_examples(folder.path()), Texts{}) << "it is not read whole";
}

TEST(Examples, AreMadeOfWholeTexts) {
  EXPECT_EQ(beginning_of("Once upon a time there was a king"), "Once upon a time");
  EXPECT_EQ(beginning_of("the  end"), "the");
  EXPECT_EQ(beginning_of(" "), "");
  EXPECT_EQ(with_gap("the cat sleeps today .", "[MASK]"), "the cat [MASK] today .");
  EXPECT_EQ(with_gap("now it, rains!", "[MASK]"), "[MASK] it, rains!");
  EXPECT_EQ(with_gap("a b", "[MASK]"), "");
  EXPECT_EQ(with_gap("? ! .", "[MASK]"), "");
}

}  // namespace
}  // namespace heed::pipeline
