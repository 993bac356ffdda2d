// SPDX-License-Identifier: Apache-2.0
// Probing a model that was never trained: its states know the words, and where they are as far as
// positions were added.
#include "heed/pipeline/probing.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"
#include "heed/models/classifier.h"
#include "heed/pipeline/classify/classifier.h"

namespace heed::pipeline {
namespace {

Classifier untrained() {
  Random random(5);
  text::Labels labels(std::vector<std::string>{"mood"});
  for (const char* label : {"glad", "sad"}) labels.add(std::vector<std::string>{label});
  const TokeniserPointer words = text::train_tokeniser(
      {.kind = text::TokeniserKind::words}, std::vector<std::string>{"one two three four five"});
  return Classifier(
      {words, labels,
       std::make_shared<models::Classifier>(
           models::ClassifierOptions{
               .encoder =
                   {.vocabulary = words->size(),
                    .kind = models::TextEncoderKind::transformer,
                    .stack = {.width = 16, .heads = 2, .inner = 16, .layers = 2, .dropout = 0}}},
           random)});
}

// Six words each, which are odd or even by their number.
std::vector<LabelledWords> texts() {
  constexpr const char* kWords[] = {"one", "two", "three", "four", "five"};
  Random random(2);
  std::vector<LabelledWords> all;
  for (int i = 0; i < 60; ++i) {
    LabelledWords& one = all.emplace_back();
    for (int w = 0; w < 6; ++w) {
      const auto word = random.integer(5);
      one.text += std::string(w == 0 ? "" : " ") + kWords[word];
      one.labels.emplace_back(word % 2 == 0 ? "odd" : "even");
    }
  }
  return all;
}

TEST(Probing, ReadsWordsOffEveryLayer) {
  const Probing found = probed(untrained(), texts(), {.training = {.epochs = 12}});
  ASSERT_EQ(found.layers.size(), 2u);
  EXPECT_EQ(found.layers[1].name, "encoder self 1");
  EXPECT_EQ(found.layers[0].width, 16);
  EXPECT_EQ(found.words, 360u);
  EXPECT_EQ(found.learnt, 288u);
  EXPECT_EQ(found.labels.size(), 2u);
  EXPECT_EQ(found.baselines.by_word, 1);
  EXPECT_GT(found.layers[0].linear.accuracy, .95);
  EXPECT_EQ(probed(untrained(), texts(), {.layer = 1, .training = {.epochs = 1}}).layers.size(),
            1u);
}

TEST(Probing, ReadsRowsOfAttention) {
  const Probing found =
      probed(untrained(), texts(),
             {.vectors = ProbedVectors::attention, .layer = 0, .training = {.epochs = 1}});
  EXPECT_EQ(found.layers[0].width, 128);  // two heads, 64 keys
}

TEST(Probing, RefusesWhatItCannotProbe) {
  EXPECT_THROW(probed(untrained(), {}), UsageError);
  EXPECT_THROW(probed(untrained(), texts(), {.layer = 2, .training = {.epochs = 1}}), UsageError);
  std::vector<LabelledWords> alike = texts();
  for (LabelledWords& one : alike) std::ranges::fill(one.labels, "same");
  EXPECT_EQ(test::message_of<UsageError>([&] { probed(untrained(), alike); }),
            "probe: all words have one label; there is nothing to tell apart");
}

}  // namespace
}  // namespace heed::pipeline
