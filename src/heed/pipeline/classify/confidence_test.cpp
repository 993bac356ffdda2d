// SPDX-License-Identifier: Apache-2.0
// Calibration of classifiers: what training chooses, keeps, and what it is used for.
#include "heed/pipeline/classify/confidence.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/classify/classify_testing.h"

namespace heed::pipeline {
namespace {

// `sure` predictions of "good" at 99%, of which `wrong` are wrong, then as many at 60%, all wrong.
struct Predicted {
  std::vector<text::LabelledText> texts{};
  std::vector<Classification> found{};
};

Predicted predictions(int sure, int wrong) {
  Predicted made;
  for (int i = 0; i < 2 * sure; ++i) {
    const bool right = i >= wrong && i < sure;
    const double share = i < sure ? .99 : .6;
    made.texts.push_back({.labels = {right ? "good" : "bad"}, .text = "a"});
    made.found.push_back({.aspects = {{.aspect = "tone",
                                       .label = "good",
                                       .probability = share,
                                       .probabilities = {1 - share, share}}}});
  }
  return made;
}

text::Labels tones() {
  text::Labels labels(std::vector<std::string>{"tone"});
  for (const char* label : {"bad", "good"}) labels.add(std::vector<std::string>{label});
  return labels;
}

TEST(Confidence, IsLoweredWhereAModelIsTooSure) {
  const Predicted made = predictions(100, 20);
  const auto chosen = choose_confidence(made.texts, made.found, tones(), .7);
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_GT(chosen[0].chosen.temperature, 1);
  EXPECT_LT(metrics::calibration_error(chosen[0].after),
            metrics::calibration_error(chosen[0].before));
  EXPECT_NEAR(chosen[0].threshold.coverage, .5, 1e-12) << "the sure ones";
  EXPECT_NEAR(chosen[0].threshold.accuracy, .8, 1e-12);
  EXPECT_GT(chosen[0].after.front().probability, chosen[0].chosen.threshold - 1e-12);
  EXPECT_LT(chosen[0].after.back().probability, chosen[0].chosen.threshold);
  EXPECT_NE(chosen[0].to_string().find("answers 50.0% of the texts, 80.0% of them correctly"),
            std::string::npos)
      << chosen[0].to_string();
}

TEST(Confidence, HasNoThresholdWherePredictionsAreNeverRightOftenEnough) {
  const Predicted made = predictions(100, 20);
  const auto chosen = choose_confidence(made.texts, made.found, tones(), .9);
  EXPECT_EQ(chosen[0].chosen.threshold, 0);
  const test::TemporaryFolder folder;
  keep_confidence(folder.path(), chosen);
  const std::vector<Confidence> kept = kept_confidence(folder.path(), tones());
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].temperature, chosen[0].chosen.temperature) << "to the last bit";
  EXPECT_EQ(kept[0].threshold, 0);
}

TEST(Confidence, OfAFolderWithoutChoicesIsNone) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(kept_confidence(folder.path(), tones()).empty());
}

TEST(Confidence, IsChosenWhenATrainingEndsAndUsedFromThenOn) {
  const test::TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  std::string said;
  train(options, [&](std::string_view line) { said += std::string(line) + "\n"; });
  EXPECT_NE(said.find("confidence: temperature "), said.npos) << said;
  EXPECT_NE(test::get(options.out + "/card.md").find("| confidence | temperature "),
            std::string::npos);
  EXPECT_NE(test::get(options.out + "/reliability.svg").find("calibrated"), std::string::npos);
  const Classifier classifier(options.out);
  ASSERT_EQ(classifier.confidence().size(), 1u);
  const double temperature = classifier.confidence()[0].temperature;
  EXPECT_NE(temperature, 1);

  const Classification calibrated = classifier.classify("ba lovely do");
  std::filesystem::rename(options.out + "/choices.tsv", folder / "kept");
  const Classifier plain(options.out);
  EXPECT_TRUE(plain.confidence().empty());
  const Classification raw = plain.classify("ba lovely do");
  EXPECT_EQ(calibrated.aspects[0].label, raw.aspects[0].label) << "the order stays";
  const auto odds = [](const Classification& one) {
    return std::log(one.aspects[0].probabilities[0] / one.aspects[0].probabilities[1]);
  };
  EXPECT_NEAR(odds(calibrated) * temperature, odds(raw), 1e-3);
}

TEST(Confidence, ChoosesTheSameWhenAFinishedTrainingIsRunAgain) {
  const test::TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  train(options, testing::no_words);
  const std::string chosen = test::get(options.out + "/choices.tsv");
  train(options, testing::no_words);
  EXPECT_EQ(test::get(options.out + "/choices.tsv"), chosen);
  EXPECT_FALSE(chosen.empty());
}

TEST(Confidence, IsNotChosenWhereNobodyWantsIt) {
  const test::TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  options.choose = false;
  train(options, testing::no_words);
  EXPECT_FALSE(std::filesystem::exists(options.out + "/choices.tsv"));
  options.choose = true;
  options.valid = "";
  options.trainer.early_stopping = "loss";
  options.trainer.reset = true;
  train(options, testing::no_words);
  EXPECT_FALSE(std::filesystem::exists(options.out + "/choices.tsv")) << "without validation";
}

TEST(Threshold, MarksWhatIsLessProbableAsUnknown) {
  const test::TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  train(options, testing::no_words);
  const Classifier classifier(options.out);
  const std::vector<text::LabelledText> texts =
      read_labelled(options.valid, options.form(options.valid), classifier.labels());
  const auto unknown = [&](const ClassifyCall& call) {
    std::size_t count = 0;
    for (const Classification& one : classifier.classify(texts, call)) {
      count += one.aspects[0].unknown;
    }
    return count;
  };
  EXPECT_EQ(unknown({}), 0u);
  EXPECT_EQ(unknown({.threshold = 1}), texts.size());
  const double kept = classifier.confidence()[0].threshold;
  ASSERT_GT(kept, 0);
  EXPECT_EQ(unknown({.unknown = true}), unknown({.threshold = kept}));
  EXPECT_THROW(classifier.classify(texts, {.threshold = 1.5}), UsageError);
  EXPECT_THROW(classifier.classify(texts, {.threshold = std::nan("")}), UsageError);

  const Input input{texts[0].text};
  EXPECT_EQ(classifier.run(std::span(&input, 1), {{"threshold", "1"}})[0][0].text,
            "label = unknown");
  const auto quality =
      quality_of(texts, classifier.classify(texts, {.threshold = 1}), classifier.labels());
  EXPECT_EQ(quality[0].answered.value().share, 0);
  EXPECT_FALSE(quality_of(texts, classifier.classify(texts), classifier.labels())[0].answered);
}

TEST(Threshold, ThatTheFolderDoesNotKeepIsAskedFor) {
  const test::TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  options.choose = false;
  train(options, testing::no_words);
  const Classifier classifier(options.out);
  const text::LabelledText text{.labels = {}, .text = "ba"};
  const std::string message = test::message_of<UsageError>(
      [&] { classifier.classify(std::span(&text, 1), {.unknown = true}); });
  EXPECT_TRUE(message.starts_with("--unknown: the folder does not keep a threshold")) << message;
}

TEST(Choices, OfAClassifierAreCheckedWhenItIsLoaded) {
  const test::TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  train(options, testing::no_words);
  test::put(options.out + "/choices.tsv", "temperature of label\t-1\n");
  const std::string message = test::message_of<DataError>([&] { Classifier{options.out}; });
  EXPECT_NE(message.find("choices.tsv:1: \"-1\" is no temperature of label"), message.npos)
      << message;
}

}  // namespace
}  // namespace heed::pipeline
