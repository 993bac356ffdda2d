// SPDX-License-Identifier: Apache-2.0
// What an audit is told of a classifier is what the classifier does under other weights.
#include "heed/pipeline/classify/audited_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/insight/observe/interventions.h"
#include "heed/models/classifier.h"

namespace heed::pipeline {
namespace {

struct Audited {
  std::shared_ptr<models::Classifier> model;
  TokeniserPointer words;
  Classifier classifier;
};

Audited audited_of(const std::string& attention) {
  Random random(5);
  text::Labels labels(std::vector<std::string>{"mood"});
  for (const char* label : {"glad", "sad"}) labels.add(std::vector<std::string>{label});
  const TokeniserPointer words = text::train_tokeniser(
      {.kind = text::TokeniserKind::words}, std::vector<std::string>{"one two three four five"});
  const auto model = std::make_shared<models::Classifier>(
      models::ClassifierOptions{
          .encoder = {.vocabulary = words->size(), .embedding = 8, .hidden = 8},
          .attention = attention},
      random);
  return {model, words, Classifier({words, labels, model})};
}

TEST(AuditedTexts, AreTheAnswersUnderAnyWeights) {
  const Audited one = audited_of("additive");
  const std::vector<text::LabelledText> texts = {{.text = "two three five one"}, {.text = " "}};
  const std::vector<Evidence> evidence = {{{1, 3}}, {{}}};
  const AuditedTexts found =
      audited_texts(one.classifier, texts, {.explainers = {"leave_one_out"}, .evidence = evidence});
  ASSERT_EQ(found.texts.size(), 1u);
  EXPECT_EQ(found.passed_over, 1u);
  EXPECT_EQ(found.words[0], (std::vector<std::string>{"two", "three", "five", "one"}));
  const explain::AuditedAttention& text = found.texts[0];
  ASSERT_EQ(text.weights.size(), 4u);
  ASSERT_EQ(text.others.size(), 1u);
  const Prediction said = one.classifier.classify(texts[0].text).aspects[0];
  const std::vector<double> own = text.probabilities(text.weights);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(own[c], said.probabilities[c], 1e-5);

  // The weights turned round, put into the model itself; the end of the text keeps what it has.
  text::Tokens tokens = one.words->encode(texts[0].text).tokens;
  tokens.push_back(text::kEnd);
  const models::ClassifierInput input{
      .text = models::sequences(text::pad_rows(std::vector<text::Tokens>{tokens}))};
  attention::Trace trace;
  (*one.model)(input, {.watch = &trace});
  const std::vector<Tensor> weights = one.model->token_weights(trace, input);
  Tensor given = weights[0].clone().reshape({1, 1, 1, weights[0].size(1)});
  std::reverse(given.mutable_data(), given.mutable_data() + 4);
  std::vector<double> reversed = text.weights;
  std::ranges::reverse(reversed);
  insight::GivenWeights intervention(trace.entries().back().site, Variable(given));
  const Tensor logits = (*one.model)(input, {.watch = &intervention})[0].value();
  const double odds = static_cast<double>(logits.at({0, 1}) - logits.at({0, 0}));
  const std::vector<double> expected = text.probabilities(reversed);
  EXPECT_NEAR(odds, std::log(expected[1] / expected[0]), 1e-4);
}

TEST(AuditedTexts, FallWhenWordsAreTakenOut) {
  const Audited one = audited_of("additive");
  const std::vector<text::LabelledText> texts = {{.text = "two three five one"}};
  const std::vector<Evidence> evidence = {{{1, 3}}};
  const explain::AuditedAttention text =
      audited_texts(one.classifier, texts, {.explainers = {"leave_one_out"}, .evidence = evidence})
          .texts[0];
  EXPECT_EQ(text.gold, (std::vector<bool>{false, true, false, true}));
  ASSERT_EQ(text.without.size(), 3u);
  const std::vector<std::string> words = {"two", "three", "five", "one"};
  const auto top =
      static_cast<std::size_t>(std::ranges::max_element(text.weights) - text.weights.begin());
  std::string left;
  for (std::size_t t = 0; t < 4; ++t) {
    if (t != top) left += (left.empty() ? "" : " ") + words[t];
  }
  const auto said = one.classifier.classify(texts[0].text).aspects[0].probabilities;
  const auto answer = static_cast<std::size_t>(std::ranges::max_element(said) - said.begin());
  // A tenth of four words is one word.
  EXPECT_NEAR(text.without[0][2],
              said[answer] - one.classifier.classify(left).aspects[0].probabilities[answer], 1e-6);
  EXPECT_NEAR(text.alone[0][2],
              said[answer] - one.classifier.classify(words[top]).aspects[0].probabilities[answer],
              1e-6);
}

TEST(AuditedTexts, EndWhenItIsEnough) {
  const Audited one = audited_of("additive");
  const std::vector<text::LabelledText> texts(5, {.text = "one two"});
  int asked = 0;
  const AuditedTexts found = audited_texts(
      one.classifier, texts, {.removals = false, .enough = [&] { return ++asked > 2; }});
  EXPECT_EQ(found.texts.size(), 2u);
  EXPECT_EQ(found.read, 2u);
  EXPECT_TRUE(found.texts[0].without.empty());
}

TEST(AuditedTexts, AModelBesideItselfIsNowhereElse) {
  const Audited one = audited_of("additive");
  const std::vector<text::LabelledText> texts = {{.text = "two three five one"}, {.text = " "}};
  const BesideModel beside = compared_beside(one.classifier, one.classifier, texts, 0);
  EXPECT_EQ(beside.weights.texts, 1);
  EXPECT_NEAR(beside.weights.mean, 0, 1e-12);
  EXPECT_EQ(beside.same, 1);
  const explain::AuditMean alike = audited_conicity(one.classifier, texts);
  EXPECT_EQ(alike.texts, 1);
  EXPECT_GT(alike.mean, 0);
  EXPECT_LE(alike.mean, 1);
}

TEST(AuditedTexts, AreNotOfModelsThatDoNotLookOnce) {
  const std::vector<text::LabelledText> texts = {{.text = "one two"}};
  EXPECT_TRUE(heed::test::message_of<UsageError>([&] {
                audited_texts(audited_of("none").classifier, texts, {});
              }).starts_with("audit: this model's answer is not linear in one look"));
}

}  // namespace
}  // namespace heed::pipeline
