// SPDX-License-Identifier: Apache-2.0
// An explainer that learns what to name, told the answer or not.
#include "heed/pipeline/classify/learned_explainer.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/pipeline/classify/communication.h"

namespace heed::pipeline {
namespace {

using Words = LearnedExplainer::Words;

// One of five words decides, at any place among words that do not.
struct ExplainedTexts {
  std::vector<Words> texts{};
  std::vector<std::int32_t> answers{};
};

ExplainedTexts draw_texts(std::size_t count, Random& random) {
  const std::vector<Words> telling = {{"fine", "great"}, {"dirty", "awful", "poor"}};
  ExplainedTexts drawn;
  for (std::size_t i = 0; i < count; ++i) {
    const auto answer = static_cast<std::int32_t>(random.integer(2));
    Words text;
    for (int w = 0; w < 6; ++w) text.push_back("w" + std::to_string(random.integer(20)));
    const Words& mine = telling[static_cast<std::size_t>(answer)];
    text[random.integer(6)] = mine[random.integer(mine.size())];
    drawn.texts.push_back(text);
    drawn.answers.push_back(answer);
  }
  return drawn;
}

// The word of most weight of each text.
std::vector<Message> messages_by(const LearnedExplainer& explainer, const ExplainedTexts& texts) {
  const auto weights = explainer.weigh(texts.texts, texts.answers);
  std::vector<Message> messages;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    messages.push_back(pipeline::message_of(texts.texts[i], weights[i], 1));
  }
  return messages;
}

TEST(LearnedExplainer, IsUnderstoodByALaypersonWhoNeverMetIt) {
  for (const double told : {0., .2, 1.}) {
    Random random(3);
    const ExplainedTexts train = draw_texts(600, random), test = draw_texts(100, random);
    std::size_t read = 0;
    const LearnedExplainer explainer(
        train.texts, train.answers, 2,
        {.told = told, .epochs = 20, .done = [&](std::size_t more) { read += more; }});
    EXPECT_EQ(read, 20U * 600);
    const Layperson layperson(messages_by(explainer, train), train.answers, 2);
    const std::vector<std::int32_t> guessed = layperson.guess(messages_by(explainer, test));
    double right = 0;
    for (std::size_t i = 0; i < guessed.size(); ++i) right += guessed[i] == test.answers[i] ? 1 : 0;
    EXPECT_GE(right / 100, .9) << "told " << told;
  }
}

TEST(LearnedExplainer, WeighsWordsItNeverSawAndEmptyTexts) {
  Random random(4);
  const ExplainedTexts train = draw_texts(40, random);
  const LearnedExplainer explainer(train.texts, train.answers, 2, {.epochs = 1});
  const std::vector<Words> texts = {{"unheard", "of"}, {}};
  const auto weights = explainer.weigh(texts, std::vector<std::int32_t>{1, 0});
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_EQ(weights[0].size(), 2U);
  EXPECT_NEAR(weights[0][0] + weights[0][1], 1, 1e-5);
  EXPECT_TRUE(weights[1].empty());
}

TEST(LearnedExplainer, IsToldAShareOfTheAnswers) {
  const std::vector<Words> texts = {{"a"}};
  const std::vector<std::int32_t> answers = {0};
  const std::string message =
      test::message_of<UsageError>([&] { LearnedExplainer(texts, answers, 2, {.told = 1.5}); });
  EXPECT_NE(message.find("from 0 to 1"), std::string::npos);
  EXPECT_THROW(LearnedExplainer(texts, {}, 2), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
