// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/classify/classifier.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/classify/classify_testing.h"

namespace heed::pipeline {
namespace {

// A model of random weights over five words.
Classifier::Parts parts(const std::string& gate = {}) {
  Random random(7);
  text::Labels labels(std::vector<std::string>{"label"});
  for (const char* label : {"no", "yes"}) labels.add(std::vector<std::string>{label});
  const TokeniserPointer words = text::train_tokeniser(
      {.kind = text::TokeniserKind::words}, std::vector<std::string>{"one two three four ,"});
  const auto model = std::make_shared<models::Classifier>(
      models::ClassifierOptions{
          .encoder = {.vocabulary = words->size(), .embedding = 6, .hidden = 4},
          .attention = gate.empty() ? "additive" : "none",
          .rationale = {.gate = gate}},
      random);
  return {words, labels, model};
}

TEST(ClassifierInUse, GivesTextsBackInTheirOrder) {
  const Classifier classifier(parts());
  const std::vector<text::LabelledText> texts = {
      {{}, "one", ""}, {{}, "two three four", ""}, {{}, "", ""}, {{}, "four one", ""}};
  const auto together = classifier.classify(texts, {.attention = true, .batch = {.tokens = 6}});
  ASSERT_EQ(together.size(), 4u);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Classification alone = classifier.classify(texts[i].text);
    EXPECT_EQ(together[i].words, alone.words);
    EXPECT_NEAR(together[i].aspects[0].probability, alone.aspects[0].probability, 1e-5);
    EXPECT_NEAR(together[i].aspects[0].probabilities[0] + together[i].aspects[0].probabilities[1],
                texts[i].text.empty() ? 0 : 1, 1e-5);
    EXPECT_EQ(together[i].aspects[0].label.empty(), texts[i].text.empty()) << "nothing to judge";
    EXPECT_EQ(together[i].aspects[0].attention.size(), alone.words.size());
  }
}

TEST(ClassifierInUse, IsOneModelAmongOthersWithTheThresholdAsItsSetting) {
  const Classifier classifier(parts());
  const std::vector<Input> inputs = {{"one two"}, {"four"}};
  const auto found = classifier.run(inputs);
  ASSERT_EQ(found.size(), 2u);
  const Prediction alone = classifier.classify("four").aspects[0];
  EXPECT_EQ(found[1][0].text, "label = " + alone.label);
  EXPECT_NEAR(found[1][0].score, alone.probability, 1e-5);
  EXPECT_EQ(classifier.trace(inputs).size(), 2u);
  EXPECT_EQ(test::message_of<UsageError>([&] {
              classifier.run(inputs, {{"beam", "3"}});
            }),
            "a classifier has no setting \"beam\"; it has unknown, threshold");
}

TEST(ClassifierInUse, AddsTheWeightsOfAWordsTokens) {
  // "one," is one word and two tokens.
  const Classification found = Classifier(parts()).classify("one, two");
  ASSERT_EQ(found.aspects[0].attention.size(), 2u);
  EXPECT_NEAR(found.aspects[0].attention[0] + found.aspects[0].attention[1], 1, 1e-5);
  EXPECT_GT(found.aspects[0].attention[0], found.aspects[0].attention[1]);
}

TEST(ClassifierInUse, KeepsAWordOfSeveralTokensOnce) {
  const Classifier classifier(parts("budget(k=4)"));
  const Classification found = classifier.classify("one, two three,");
  ASSERT_EQ(found.words.size(), 3u);
  double most = 0;
  for (const double kept : found.aspects[0].attention) most = std::max(most, kept);
  EXPECT_GT(most, .5);
  EXPECT_LE(most, 1) << "not the sum of its tokens";
  EXPECT_FALSE(classifier.has_word_gradients());
}

TEST(ClassifierInUse, RefusesASecondTextItDoesNotRead) {
  EXPECT_THROW(Classifier(parts()).classify("one", "two"), UsageError);
}

TEST(ClassifierInUse, NamesAFolderThatIsNone) {
  EXPECT_TRUE(test::message_of<DataError>([] {
                Classifier("no-such-folder");
              }).starts_with("no-such-folder: there is no such folder"));
}

}  // namespace
}  // namespace heed::pipeline
