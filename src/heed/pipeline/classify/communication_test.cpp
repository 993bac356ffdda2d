// SPDX-License-Identifier: Apache-2.0
// Explainers that name the words that decide, and a layperson who understands them.
#include "heed/pipeline/classify/communication.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/classify/classify_testing.h"

namespace heed::pipeline {
namespace {

using test::message_of;
using test::TemporaryFolder;

TEST(Message, HasTheWordsOfMostWeightInTheirOrder) {
  const std::vector<std::string> words = {"a", "b", "c", "d", "a"};
  EXPECT_EQ(pipeline::message_of(words, std::vector<double>{.1, .4, 0, .3, .1}, 2),
            (Message{"b", "d"}));
  EXPECT_EQ(pipeline::message_of(words, std::vector<double>{.1, 0, 0, 0, .1}, 1), Message{"a"});
  EXPECT_EQ(pipeline::message_of(words, std::vector<double>{0, 0, 0, 0, 0}, 3), Message{})
      << "words without weight are not named";
  EXPECT_EQ(pipeline::message_of(words, std::vector<double>(5, 1.), 0), words);
  EXPECT_THROW(pipeline::message_of(words, std::vector<double>{1}, 1), UsageError);
}

TEST(Layperson, LearnsWhatWordsSayAndNothingOfOthers) {
  std::vector<Message> messages;
  std::vector<std::int32_t> classes;
  for (int i = 0; i < 200; ++i) {
    messages.push_back(i % 2 == 0 ? Message{"fine", "room"} : Message{"dirty", "room"});
    classes.push_back(i % 2);
  }
  const Layperson layperson(messages, classes, 2);
  EXPECT_EQ(
      layperson.guess(std::vector<Message>{{"fine"}, {"dirty", "dirty"}, {"fine", "unheard"}}),
      (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_TRUE(layperson.guess({}).empty());
  EXPECT_THROW(Layperson({}, {}, 2), UsageError);
}

// A classifier of the small corpus of opinions, one word of which decides.
class Communicating : public ::testing::Test {
 protected:
  void train_with(const std::string& attention) {
    testing::set_small(options_, folder_.path());
    options_.encoder = models::TextEncoderKind::bag;
    options_.keys = attention == "none" ? models::PoolingKeys::states : models::PoolingKeys::words;
    options_.attention = attention;
    options_.trainer.max_updates = 300;
    options_.trainer.early_stopping = "loss";
    train(options_, testing::no_words);
  }
  std::vector<text::LabelledText> texts(const std::string& file, const Classifier& classifier) {
    return read_labelled(file, options_.form(file), classifier.labels());
  }

  TemporaryFolder folder_;
  ClassifyOptions options_;
};

TEST_F(Communicating, SucceedsByTheWordsThatDecideAndNotByAnyOthers) {
  train_with("additive");
  const Classifier classifier(options_.out);
  const Communications found =
      communicate(classifier, texts(options_.train, classifier), texts(options_.valid, classifier),
                  {.explainers = {"random", "attention", "leave_one_out", "gradient_input", "all"},
                   .words = 1});
  ASSERT_EQ(found.all.size(), 5u);
  EXPECT_GE(found.classifier_accuracy, .95);
  EXPECT_LE(found.all[0].success, .75) << "one word in six is the right one";
  for (const std::size_t i : {1, 2, 3, 4}) {
    EXPECT_GE(found.all[i].success, .95) << found.all[i].explainer;
    EXPECT_GE(found.all[i].layperson_accuracy, .9) << found.all[i].explainer;
  }
  EXPECT_EQ(found.all[0].words, 1);
  EXPECT_EQ(found.all[4].words, 6);
}

TEST_F(Communicating, RefusesExplainersThatAreNone) {
  train_with("none");
  const Classifier classifier(options_.out);
  const auto some = texts(options_.valid, classifier);
  const auto message = [&](const char* explainer, std::size_t aspect = 0) {
    return message_of<UsageError>([&] {
      communicate(classifier, some, some, {.explainers = {explainer}, .aspect = aspect});
    });
  };
  EXPECT_TRUE(message("atention").starts_with("--explainers atention: no explainer is called"));
  EXPECT_TRUE(message("attention").starts_with("--explainers attention: this classifier has none"));
  EXPECT_TRUE(message("random", 1).starts_with("communicate: aspect 1; the classifier has 1"));
  EXPECT_TRUE(message_of<UsageError>([&] {
                communicate(classifier, {}, some, {});
              }).starts_with("communicate: no texts"));
}

}  // namespace
}  // namespace heed::pipeline
