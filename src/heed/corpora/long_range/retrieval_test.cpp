// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/long_range/retrieval.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed::corpora {
namespace {

// Two words with capitals side by side are a name: no sentence begins with such.
std::multiset<std::string> names_in(const std::string& document) {
  std::multiset<std::string> found;
  const auto words = split(document, ' ');
  const auto capital = [](std::string_view word) {
    return std::isupper(static_cast<unsigned char>(word[0])) != 0;
  };
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (capital(words[i]) && capital(words[i + 1]) && !words[i].ends_with('.')) {
      found.insert(std::string(words[i]) + ' ' + std::string(words[i + 1]));
    }
  }
  return found;
}

TEST(Retrieval, MatchesWhereBothSpeakOfTheSamePerson) {
  Random random(1);
  for (int turn = 0; turn < 100; ++turn) {
    const Example example = draw_retrieval(random, {.words = 80, .mentions = 3, .turn = turn});
    const auto first = names_in(example.source), second = names_in(example.second);
    ASSERT_EQ(first.size(), 3u) << example.source;
    EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), 1u);
    EXPECT_EQ(std::set<std::string>(second.begin(), second.end()).size(), 1u);
    EXPECT_EQ(example.labels[0], first == second ? "match" : "other");
    EXPECT_EQ(split(example.source, ' ').size(), 80u);
    EXPECT_EQ(split(example.second, ' ').size(), 80u);
    EXPECT_NE(example.source, example.second);
  }
}

TEST(Retrieval, KeepsThePersonsOfTheTestOutOfTraining) {
  const Corpus corpus = make_corpus("retrieval", {.size = 500, .min_length = 60});
  std::set<std::string> words;
  for (const Example& example : corpus.train) {
    for (const std::string& name : names_in(example.source)) {
      for (const std::string_view word : split(name, ' ')) words.emplace(word);
    }
  }
  for (const Example& example : corpus.test) {
    for (const std::string& name : names_in(example.source)) {
      for (const std::string_view word : split(name, ' ')) {
        EXPECT_FALSE(words.contains(std::string(word))) << word;
      }
    }
  }
}

TEST(Retrieval, NeedsRoomForItsMentions) {
  Random random(2);
  EXPECT_EQ(
      test::message_of<UsageError>([&] { draw_retrieval(random, {.words = 23, .mentions = 3}); }),
      "retrieval: documents of 23 words; with 3 mentions they take 24");
}

}  // namespace
}  // namespace heed::corpora
