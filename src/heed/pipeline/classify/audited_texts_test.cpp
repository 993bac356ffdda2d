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
  const std::vector<std::string> methods = {"leave_one_out"};
  const AuditedTexts found = audited_texts(one.classifier, texts, 0, methods);
  ASSERT_EQ(found.texts.size(), 1u);
  EXPECT_EQ(found.passed_over, 1u);
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

TEST(AuditedTexts, AreNotOfModelsThatDoNotLookOnce) {
  const std::vector<text::LabelledText> texts = {{.text = "one two"}};
  EXPECT_TRUE(heed::test::message_of<UsageError>([&] {
                audited_texts(audited_of("none").classifier, texts, 0, {});
              }).starts_with("audit: this model's answer is not linear in one look"));
}

}  // namespace
}  // namespace heed::pipeline
