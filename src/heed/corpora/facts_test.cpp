// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "heed/base/text.h"

namespace heed::corpora {
namespace {

// Reads the passage backwards for the last sentence that answers.
std::string answer_of(const Example& fact) {
  const auto question = split(fact.second, ' ');
  std::string asked(question.back());
  asked.pop_back();
  const auto sentences = split(fact.source, '.');
  for (std::size_t i = sentences.size(); i-- > 0;) {
    const auto words = split(trim(sentences[i]), ' ');
    if (words.size() < 4) continue;
    const bool moves = words[2] == "to";
    if (question[0] == "Where" && question.size() == 3) {
      if (words[0] == asked && moves) return std::string(words.back());
      continue;
    }
    if (moves || std::ranges::find(words, asked) == words.end()) continue;
    const bool last = question[0] == "Where" || words[1] == "gave";
    return std::string(last ? words.back() : words[0]);
  }
  return {};
}

TEST(Facts, AreAnsweredByTheLastSentenceThatTells) {
  Random random(1);
  for (int turn = 0; turn < 3'000; ++turn) {
    const Example fact = draw_fact(random, turn);
    ASSERT_EQ(answer_of(fact), fact.labels[0]) << fact.source << ' ' << fact.second;
    const auto sentences = split(fact.source, '.').size() - 1;
    ASSERT_GE(sentences, 3u);
    ASSERT_LE(sentences, 8u);
  }
}

TEST(Facts, GiveEveryAnswerAsOften) {
  Random random(2);
  std::map<std::string, int> answers;
  for (int turn = 0; turn < 10 * kFactAnswers; ++turn) ++answers[draw_fact(random, turn).labels[0]];
  EXPECT_EQ(answers.size(), static_cast<std::size_t>(kFactAnswers));
  for (const auto& [answer, count] : answers) EXPECT_EQ(count, 10) << answer;
}

TEST(Facts, OftenSaySomethingElseBefore) {
  Random random(3);
  int outdated = 0;
  for (int turn = 0; turn < 1'000; ++turn) {
    const Example fact = draw_fact(random, turn);
    const auto question = split(fact.second, ' ');
    const std::string asked(question.back().substr(0, question.back().size() - 1));
    int mentions = 0;
    for (const std::string_view sentence : split(fact.source, '.')) {
      mentions += sentence.find(asked) != std::string_view::npos;
    }
    outdated += mentions > 1;
  }
  EXPECT_GT(outdated, 500);
}

}  // namespace
}  // namespace heed::corpora
