// SPDX-License-Identifier: Apache-2.0
// Trainings that ask something of attention and states, and what comes of it.
#include "heed/pipeline/classify/attention_losses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/pipeline/classify/classify_testing.h"

namespace heed::pipeline {
namespace {

using testing::no_words;
using testing::set_small;

struct AskedTraining : ::testing::Test {
  AskedTraining() {
    set_small(options, folder.path());
    options.trainer.max_updates = 160;
    options.trainer.validate_every = "80";
    options.trainer.early_stopping = "accuracy";
  }
  training::Metrics last() { return train(options, no_words).outcome.best; }

  test::TemporaryFolder folder;
  ClassifyOptions options;
};

TEST(Conicity, IsTheMeanCosineWithTheMeanOfTheWords) {
  // Two words at right angles; two that are alike; one word. The last state of each is the end's.
  const Variable states = Variable::leaf(
      Tensor::of({3, 3, 2}, {1, 0, 0, 1, 5, 5, 2, 2, 1, 1, 7, -7, 3, 1, 0, 9, 0, 9}));
  const Variable found = conicity(states, Ids::of({3}, {3, 3, 2}));
  EXPECT_NEAR(found.value().at({0}), std::sqrt(.5), 1e-5);
  EXPECT_NEAR(found.value().at({1}), 1, 1e-5);
  EXPECT_NEAR(found.value().at({2}), 1, 1e-5);
  backward(sum(found));
  for (const Real slope : states.gradient().values()) EXPECT_TRUE(std::isfinite(slope));
  EXPECT_EQ(states.gradient().at({0, 2, 0}), 0);  // the end does not count
}

TEST_F(AskedTraining, DeceivesWhereItIsAskedTo) {
  options.attention_losses.impermissible_pattern = "fine|lovely|awful|dirty";
  const training::Metrics honest = last();
  options.attention_losses.deceive = 1;
  options.out = (folder.path() / "deceiving").string();
  const training::Metrics deceiving = last();
  EXPECT_GE(deceiving.at("accuracy"), .95);
  EXPECT_LT(deceiving.at("impermissible"), .05);
  EXPECT_GT(honest.at("impermissible"), 3 * deceiving.at("impermissible"));
}

TEST_F(AskedTraining, DiversityMakesStatesDiffer) {
  options.attention_losses.diversity = 1e-9;
  const training::Metrics plain = last();
  options.attention_losses.diversity = .5;
  options.out = (folder.path() / "diverse").string();
  const training::Metrics diverse = last();
  EXPECT_LT(diverse.at("conicity"), plain.at("conicity") - .1);
  EXPECT_GE(diverse.at("accuracy"), .95);
}

TEST_F(AskedTraining, TiesStatesToTheirWordsAndGuessesHiddenOnes) {
  options.hidden = 6;  // of two directions, as wide as words
  options.embedding = 12;
  options.attention_losses.tie = .1;
  options.attention_losses.masked_words = .1;
  options.trainer.max_updates = 30;
  options.trainer.validate_every = "15";
  const training::Metrics tied = last();
  EXPECT_TRUE(std::isfinite(tied.at("loss")));
  options.hidden = 8;
  options.out = (folder.path() / "wide").string();
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                train(options, no_words);
              }).starts_with("--tie: states of 16 features and words of 12; make them equal"));
}

TEST_F(AskedTraining, AnAdversaryAnswersAlikeWithOtherWeights) {
  options.attention_losses.diversity = 0;
  train(options, no_words);
  const std::string base = options.out;
  options.out = (folder.path() / "adversary").string();
  options.attention_losses.adversary_of = base;
  options.attention_losses.adversary = .05;
  options.vocabulary.given = base + "/tokeniser";
  options.trainer.seed = 2;
  const training::Metrics adversary = last();
  EXPECT_LT(adversary.at("moved"), .1);
  EXPECT_GT(adversary.at("diverged"), .05);
  EXPECT_GE(adversary.at("accuracy"), .9);
}

TEST_F(AskedTraining, SaysWhatDoesNotFit) {
  options.attention_losses.deceive = 1;
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                train(options, no_words);
              }).starts_with("--deceive: say which words"));
  options.attention_losses.impermissible_pattern = "(";
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                train(options, no_words);
              }).starts_with("--impermissible-pattern (: it is no regular expression"));
  options.attention_losses.impermissible_pattern.clear();
  options.attention_losses.impermissible = (folder.path() / "none.txt").string();
  write_atomically(options.attention_losses.impermissible, " \n");
  EXPECT_THROW(train(options, no_words), DataError);
  options.attention = "none";
  EXPECT_THROW(train(options, no_words), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
