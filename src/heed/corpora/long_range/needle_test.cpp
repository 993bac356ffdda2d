// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/long_range/needle.h"

#include <gtest/gtest.h>

#include <cctype>
#include <regex>
#include <set>

#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed::corpora {
namespace {

// What somebody finds who reads the facts and remembers the one that is asked for.
std::string read_answer(const std::string& text) {
  static const std::regex asked("What colour is the key of (\\w+)\\?");
  std::smatch question;
  EXPECT_TRUE(std::regex_search(text, question, asked)) << text;
  const std::regex fact("The key of " + question[1].str() + " is (\\w+)\\.");
  std::smatch found;
  EXPECT_TRUE(std::regex_search(text, found, fact)) << text;
  return found[1];
}

TEST(Needle, IsLabelledAsAReaderWouldAnswer) {
  Random random(1);
  std::set<std::string> colours;
  for (int turn = 0; turn < 80; ++turn) {
    const std::int64_t words = 100 + turn;
    const Example example =
        draw_needle(random, {.words = words, .facts = 1 + turn % 8, .turn = turn});
    EXPECT_EQ(example.labels[0], read_answer(example.source));
    EXPECT_EQ(split(example.source, ' ').size(), static_cast<std::size_t>(words));
    EXPECT_TRUE(example.source.ends_with('?'));
    colours.insert(example.labels[0]);
  }
  EXPECT_EQ(colours.size(), 8u);
}

TEST(Needle, PointsAtTheWordsOfItsFact) {
  Random random(2);
  for (int turn = 0; turn < 40; ++turn) {
    const Example example = draw_needle(random, {.words = 120, .facts = 3, .turn = turn});
    const auto words = split(example.source, ' ');
    std::string fact;
    for (const int word : example.evidence[0]) {
      fact += std::string(words[static_cast<std::size_t>(word)]) + ' ';
    }
    EXPECT_TRUE(fact.starts_with("The key of ")) << fact;
    const std::string name(words.back().substr(0, words.back().size() - 1));
    EXPECT_TRUE(fact.ends_with(name + " is " + example.labels[0] + ". ")) << fact;
  }
}

TEST(Needle, LiesWithinTheBeginningWhereThatIsAskedFor) {
  Random random(3);
  int early = 0, late = 0;
  for (int turn = 0; turn < 60; ++turn) {
    early = std::max(
        early, draw_needle(random, {.words = 400, .within = 10, .turn = turn}).evidence[0][0]);
    late = std::max(late, draw_needle(random, {.words = 400, .turn = turn}).evidence[0][0]);
  }
  EXPECT_LT(early, 80);
  EXPECT_GT(early, 10);
  EXPECT_GT(late, 300);
}

TEST(Needle, NeedsRoomForFactsAndQuestion) {
  Random random(4);
  EXPECT_EQ(test::message_of<UsageError>([&] { draw_needle(random, {.words = 27, .facts = 3}); }),
            "needle: a text of 27 words; with 3 facts and the question it takes 28");
  EXPECT_EQ(split(draw_needle(random, {.words = 28, .facts = 3}).source, ' ').size(), 28u);
}

TEST(Needle, AsRunningTextEndsWithItsAnswer) {
  const Corpus corpus = make_corpus("needle-text", {.size = 30, .settings = {"keys=4"}});
  for (const Example& example : corpus.train) {
    std::string answer = read_answer(example.source);
    answer[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(answer[0])));
    EXPECT_TRUE(example.source.ends_with("? " + answer + ".")) << example.source;
    EXPECT_TRUE(example.labels.empty());
  }
}

}  // namespace
}  // namespace heed::corpora
