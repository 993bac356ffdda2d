// SPDX-License-Identifier: Apache-2.0
// Evidence found by explanations of a model of which the deciding word is known.
#include "heed/pipeline/classify/plausibility.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

// A sum of words in which "five" alone speaks, for what is said.
Classifier five_decides() {
  Random random(3);
  text::Labels labels(std::vector<std::string>{"mood"});
  for (const char* label : {"glad", "sad"}) labels.add(std::vector<std::string>{label});
  const TokeniserPointer words = text::train_tokeniser(
      {.kind = text::TokeniserKind::words}, std::vector<std::string>{"one two three four five"});
  const auto model = std::make_shared<models::Classifier>(
      models::ClassifierOptions{.encoder = {.vocabulary = words->size(),
                                            .kind = models::TextEncoderKind::bag,
                                            .embedding = 2,
                                            .hidden = 2},
                                .attention = "none"},
      random);
  for (nn::Parameter& one : nn::parameters(*model)) {
    Tensor& value = one.variable.mutable_value();
    value.assign(Tensor::zeros(value.shape()));
    if (one.name.ends_with("embedding.weight")) {
      value.mutable_data()[words->find("five") * 2] = 1;
    } else if (one.name.ends_with("output.weight")) {
      value.mutable_data()[2] = 5;  // of the second class, by the first feature
    }
  }
  return Classifier({words, labels, model});
}

TEST(Plausibility, IsOneForWhatDecidesAndTheBaseRateForWhatSaysNothing) {
  const Classifier classifier = five_decides();
  const std::vector<text::LabelledText> texts = {
      {.text = "one five two three"}, {.text = "four five"}, {.text = "one two"}};
  const std::vector<Evidence> evidence = {{{1}}, {{1}}, {{}}};
  const std::vector<std::string> methods = {"leave_one_out", "uniform", "random"};
  int done = 0;
  const Plausibility found = plausibility(classifier, texts, evidence, 0, methods, [&] { ++done; });
  EXPECT_EQ(done, 3);
  EXPECT_EQ(found.texts, 2u) << "without evidence a text does not count";
  EXPECT_NEAR(found.base_rate, 2. / 6, 1e-12);
  EXPECT_NEAR(found.methods[0].precision, 1, 1e-12);
  EXPECT_NEAR(found.methods[0].pooled, 1, 1e-12);
  EXPECT_NEAR(found.methods[1].precision, (.25 + .5) / 2, 1e-12);
  EXPECT_NEAR(found.methods[1].pooled, found.base_rate, 1e-12);
  EXPECT_LE(found.methods[2].precision, 1);
  EXPECT_THROW(plausibility(classifier, texts, std::span(evidence).first(2), 0, methods),
               UsageError);
  EXPECT_THROW(plausibility(classifier, texts, evidence, 0, std::vector<std::string>{"attention"}),
               UsageError);
}

}  // namespace
}  // namespace heed::pipeline
