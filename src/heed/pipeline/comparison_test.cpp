// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/comparison.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/language/language_testing.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

TEST(Comparison, MeasuresFoldersOnTheSameSentences) {
  const test::TemporaryFolder folder;
  for (const char* name : {"short", "longer"}) {
    TranslationOptions options;
    testing::set_small(options, folder.path());
    options.out = (folder / name).string();
    options.trainer.max_updates = name[0] == 's' ? 2 : 300;
    options.trainer.max_epochs = 0;
    train(options, testing::silent);
  }
  const ComparisonOptions options{
      .data = {(folder / "valid.src").string(), (folder / "valid.tgt").string()}, .samples = 200};
  const std::vector<std::filesystem::path> folders = {folder / "short", folder / "longer"};
  const auto models = measure_all(folders, options);
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].sentences, 20u);
  EXPECT_EQ(models[0].parameters, models[1].parameters);
  EXPECT_GT(models[0].file_bytes, std::uint64_t(models[0].parameters) * 4);
  const auto standings = compare_measures(models, options);
  ASSERT_EQ(standings.size(), 3u);
  EXPECT_EQ(standings[0].measure, "BLEU");
  EXPECT_EQ(standings[1].measure, "chrF2");
  EXPECT_EQ(standings[2].measure, "exact %");
  for (const ComparedMeasure& standing : standings) {
    ASSERT_EQ(standing.against.size(), 1u);
    EXPECT_GT(standing.intervals[1].value, standing.intervals[0].value) << standing.measure;
    EXPECT_GT(standing.against[0].second_wins, .9) << standing.measure;
  }
  EXPECT_THROW(measure_all(folders, {.data = {"one"}}), UsageError);
}

TEST(Comparison, MeasuresGuessesOfMaskedWords) {
  const test::TemporaryFolder folder;
  std::vector<std::filesystem::path> folders;
  for (const std::int64_t updates : {1, 300}) {
    MaskedOptions options;
    testing::set_small(options, folder.path());
    options.out = (folder / fmt::format("after-{}", updates)).string();
    options.trainer.max_updates = updates;
    train(options, testing::silent);
    folders.emplace_back(options.out);
  }
  const ComparisonOptions options{.data = {(folder / "train.txt").string()}, .samples = 100};
  const auto standings = compare_measures(measure_all(folders, options), options);
  ASSERT_EQ(standings.size(), 2u);
  EXPECT_EQ(standings[0].measure, "accuracy %");
  EXPECT_GT(standings[0].intervals[1].value, standings[0].intervals[0].value);
  EXPECT_EQ(standings[1].measure, "perplexity");
  EXPECT_LT(standings[1].intervals[1].value, standings[1].intervals[0].value);
  EXPECT_GT(standings[1].against[0].second_wins, .9) << "less perplexity is better";
}

TEST(Comparison, SaysWhatWeightsInFewerBitsCost) {
  const test::TemporaryFolder folder;
  MaskedOptions options;
  testing::set_small(options, folder.path());
  options.out = (folder / "words").string();
  options.trainer.max_updates = 100;
  train(options, testing::silent);
  const std::vector<std::filesystem::path> folders(3, options.out);
  const auto models = measure_all(
      folders, {.data = {(folder / "train.txt").string()}, .weights = {"f32", "bf16", "int8"}});
  EXPECT_EQ(models[2].name, options.out + " (int8)");
  const auto standings = compare_measures(models, {.samples = 20});
  const std::vector<metrics::Interval>& perplexity = standings[1].intervals;
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_NE(perplexity[i].value, perplexity[0].value) << "other weights";
    EXPECT_NEAR(perplexity[i].value / perplexity[0].value, 1, .05);
  }
  EXPECT_THROW(measure_all(folders, {.weights = {"f32"}}), UsageError);
  EXPECT_NE(test::message_of<UsageError>([&] {
              measure_all(std::span(folders).first(1), {.weights = {"int9"}});
            }).find("did you mean \"int8\"?"),
            std::string::npos);
}

TEST(Comparison, CutsTextAlikeForVocabulariesThatDiffer) {
  const test::TemporaryFolder folder;
  std::vector<std::filesystem::path> folders;
  for (const auto kind : {text::TokeniserKind::characters, text::TokeniserKind::words}) {
    LanguageOptions options;
    testing::set_small(options, folder.path());
    options.vocabulary.tokeniser = kind;
    options.out = (folder / (kind == text::TokeniserKind::words ? "words" : "letters")).string();
    options.trainer.max_updates = 5;
    train(options, testing::silent);
    folders.emplace_back(options.out);
  }
  const ComparisonOptions options{.data = {(folder / "train.txt").string()}, .samples = 50};
  const auto models = measure_all(folders, options);
  EXPECT_GT(models[0].sentences, 1u);
  EXPECT_EQ(models[0].sentences, models[1].sentences);
  const auto standings = compare_measures(models, options);
  ASSERT_EQ(standings.size(), 1u) << "perplexities of different tokens are no comparison";
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const LanguageGenerator generator(folders[i]);
    EXPECT_NEAR(standings[0].intervals[i].value,
                generator.score(generator.read(options.data[0])).bits_per_character(), 1e-9);
  }
}

auto constant(double value) {
  return [value](std::span<const std::size_t>) { return value; };
}

TEST(Comparison, RefusesContestantsThatAreMeasuredDifferently) {
  const ComparedModel three{.name = "three",
                            .sentences = 5,
                            .measures = {{"food accuracy %", false, constant(1)},
                                         {"service accuracy %", false, constant(1)}}};
  const ComparedModel one{
      .name = "one", .sentences = 5, .measures = {{"accuracy %", false, constant(1)}}};
  const std::string message = test::message_of<UsageError>([&] {
    compare_measures(std::vector<ComparedModel>{three, one}, {.samples = 10});
  });
  EXPECT_NE(message.find("three is measured by food accuracy %"), std::string::npos) << message;
  ComparedModel longer = one;
  longer.sentences = 6;
  EXPECT_THROW(compare_measures(std::vector<ComparedModel>{one, longer}, {.samples = 10}),
               UsageError);
}

TEST(Comparison, TurnsMeasuresWhereLessIsBetter) {
  const std::vector<ComparedModel> models = {
      {.name = "a", .sentences = 5, .measures = {{"perplexity", true, constant(90)}}},
      {.name = "b", .sentences = 5, .measures = {{"perplexity", true, constant(80)}}}};
  const auto standings = compare_measures(models, {.samples = 10});
  EXPECT_EQ(standings[0].against[0].second_wins, 1);
  EXPECT_EQ(standings[0].intervals[1].value, 80);
}

}  // namespace
}  // namespace heed::pipeline
