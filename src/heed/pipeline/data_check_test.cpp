// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/data_check.h"
#include "heed/images/testing.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/head_look.h"
#include "heed/pipeline/memory/memory_testing.h"
#include "heed/pipeline/testing.h"
#include "heed/pipeline/training_cost.h"

namespace heed::pipeline {
namespace {

using test::put;
using test::TemporaryFolder;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool warns(const DataCheck& check, std::string_view what) {
  for (const std::string& warning : check.warnings) {
    if (contains(warning, what)) return true;
  }
  return false;
}

// All lines that a training prints.
struct Said {
  std::string text{};
  Print print() {
    return [this](std::string_view line) { text += std::string(line) + "\n"; };
  }
};

TEST(DataCheckOfATraining, SumsUpItsPartsAndWarnsOfNothingThatIsRight) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path());
  const DataCheck check = check_data(options);
  ASSERT_EQ(check.parts.size(), 2u);
  EXPECT_EQ(check.parts[0].texts, 400u);
  EXPECT_EQ(check.parts[0].sample.size(), 400u);
  EXPECT_TRUE(check.parts[1].sample.empty());
  EXPECT_TRUE(contains(summary(check)[0], "400 pairs, 1 to 5 words (median 3) and 1 to 5 words"))
      << summary(check)[0];
}

TEST(DataCheckOfATraining, WarnsOfOneFileGivenTwice) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path());
  options.train_target = options.train_source;
  options.valid_source = options.train_source;
  const DataCheck check = check_data(options);
  EXPECT_TRUE(warns(check, "train.src: source and target are the same text"));
  EXPECT_TRUE(warns(check, "train.src: training and validation data are the same text"));
  std::filesystem::copy(options.train_source, folder / "copy.tgt");
  options.train_target = (folder / "copy.tgt").string();
  EXPECT_TRUE(warns(check_data(options), "copy.tgt: source and target are the same text"));
}

TEST(DataCheckOfATraining, WarnsOfAModelBetweenItsData) {
  TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  EXPECT_FALSE(warns(check_data(options), "--out"));
  options.out = folder.path().string();
  EXPECT_TRUE(warns(check_data(options), "the data are in this folder too"));
}

TEST(DataCheckOfATraining, IsPrintedFirstAndRefusesWhatTheTrainingWould) {
  TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  put(folder / "train.tsv", "urteil\tmeinung\n" + testing::opinions(400, 1).lines);
  options.trainer.max_updates = 2;
  Said said;
  train(options, said.print());
  EXPECT_TRUE(contains(said.text, "train.tsv: 401 texts, 1 to 6 words (median 6), 3 classes"))
      << said.text;
  EXPECT_TRUE(contains(said.text, "warning: ")) << said.text;
  EXPECT_TRUE(contains(said.text, "does it name the columns?")) << said.text;
  put(folder / "train.tsv", "good,one text\nbad,another\n");
  options.out = (folder / "other").string();
  const std::string message =
      test::message_of<DataError>([&] { train(options, testing::no_words); });
  EXPECT_TRUE(contains(message,
                       "train.tsv:1: 1 column where each line must be LABEL<TAB>TEXT; is "
                       "this CSV? Then give --format csv"))
      << message;
  EXPECT_FALSE(std::filesystem::exists(options.out));
}

TEST(DryRun, SaysWhatATrainingWouldTakeAndWritesNothing) {
  TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  options.dry_run = true;
  Said said;
  const TrainingReport report = train(options, said.print());
  EXPECT_TRUE(report.dry_run);
  EXPECT_GT(report.parameters, 100);
  EXPECT_TRUE(contains(said.text, "vocabulary 14, ")) << said.text;
  EXPECT_TRUE(contains(said.text, "per update, 20 updates (")) << said.text;
  EXPECT_FALSE(std::filesystem::exists(options.out));
  options.dry_run = false;
  const TrainingReport trained = train(options, testing::no_words);
  EXPECT_EQ(trained.parameters, report.parameters);
}

TEST(TrainingCost, OfEveryKindComesFromItsOwnSetup) {
  TemporaryFolder folder;
  put(folder / "lines.txt", testing::word_pairs(400, 1));
  put(folder / "rows.csv", "label,text\n");
  std::string rows = "label,text\n";
  const testing::Opinions opinions = testing::opinions(200, 1);
  for (const std::string_view line : split(opinions.lines, '\n')) {
    const std::size_t tab = line.find('\t');
    if (tab != line.npos) {
      rows += fmt::format("{},\"{}, yes\"\n", line.substr(0, tab), line.substr(tab + 1));
    }
  }
  put(folder / "rows.csv", rows);
  const testing::Lines pairs = testing::reversed_lines(300, 1);
  put(folder / "pairs.src", pairs.source);
  put(folder / "pairs.tgt", pairs.target);
  put(folder / "stories.txt", testing::where_stories(60, 1));
  const std::vector<std::string> digits = {(folder / "images").string(),
                                           (folder / "labels").string()};
  put(digits[0], images::testing::small_digit_images(60, 8));
  put(digits[1], images::testing::small_digit_labels(60));
  std::string alike;
  for (int i = 0; i < 200; ++i)
    alike += fmt::format("this is text number {0}\tand that the other of {0}\n", i);
  put(folder / "alike.tsv", alike);
  const std::vector<std::vector<std::string>> choices = {
      {(folder / "lines.txt").string()},
      {(folder / "rows.csv").string()},
      {(folder / "pairs.src").string(), (folder / "pairs.tgt").string()},
      {(folder / "stories.txt").string()},
      {(folder / "alike.tsv").string()}};
  for (const ModelKind& kind : pipeline::kinds()) {
    const std::unique_ptr<KindOptions> options = kind.options();
    const auto suits = [&](const std::vector<std::string>& files) {
      return options->suits(files) > 0;
    };
    const auto found = std::ranges::find_if(choices, suits);
    const bool reads_text = found != choices.end();  // the others make their data
    if (reads_text) options->take_data(*found);
    if (!reads_text && suits(digits)) options->take_data(digits);
    const TrainingCost cost = training_cost(*options, check_data(*options));
    EXPECT_GT(cost.parameters, 1000) << kind.name;
    EXPECT_GT(cost.update_seconds, 0) << kind.name;
    EXPECT_GE(cost.epoch_updates, 1) << kind.name;
    EXPECT_FALSE(cost.sampled) << kind.name;
    EXPECT_GE(cost.memory.value_or(8 * cost.parameters), 8 * cost.parameters) << kind.name;
    EXPECT_EQ(cost.vocabularies.empty(), !reads_text) << kind.name;
    EXPECT_EQ(contains(cost.to_string(), "vocabulary"), reads_text) << cost.to_string();
    if (!reads_text) continue;
    EXPECT_GT(cost.vocabularies.front(), 8) << kind.name;
    EXPECT_GT(cost.tokens.most(), 3u) << kind.name;
  }
}

TEST(TrainingCost, IsScaledUpFromASample) {
  TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  DataCheck check = check_data(options);
  const TrainingCost whole = training_cost(options, check);
  check.parts[0].sample.resize(100);
  const TrainingCost part = training_cost(options, check);
  EXPECT_FALSE(whole.sampled);
  EXPECT_TRUE(part.sampled);
  EXPECT_EQ(whole.epoch_updates, 20);
  EXPECT_EQ(part.epoch_updates, 20);
  EXPECT_TRUE(contains(part.to_string(), "; by a sample of 100 texts")) << part.to_string();
}

TEST(HeadLook, TellsTablesFromPairsAndPlainLines) {
  TemporaryFolder folder;
  put(folder / "a.CSV", "x,y\n");
  EXPECT_EQ(look_at_head((folder / "a.CSV").string()).ending, ".csv");
  EXPECT_TRUE(look_at_head((folder / "a.CSV").string()).table_ending);
  std::string labels;
  for (int i = 0; i < 50; ++i) labels += (i % 2 == 0 ? "a\t" : "b\t") + std::to_string(i) + "\n";
  put(folder / "f.txt", labels);
  const HeadLook look = look_at_head((folder / "f.txt").string());
  EXPECT_EQ(look.tabs, 1);
  EXPECT_EQ(look.distinct, .04);
  put(folder / "p.txt", "one line\nanother\n");
  EXPECT_EQ(suits_plain_lines(std::vector{(folder / "p.txt").string()}), 1);
  EXPECT_EQ(suits_plain_lines(std::vector{(folder / "f.txt").string()}), 0);
  put(folder / "images", images::testing::small_digit_images(60, 8));
  const std::vector<std::string> pair = {(folder / "images").string(), (folder / "p.txt").string()};
  EXPECT_EQ(suits_images(pair), 1);
  EXPECT_EQ(suits_plain_lines(pair), 0);
  EXPECT_EQ(suits_images(std::vector{pair[1], pair[0]}), 0);
}

TEST(Vocabulary, OfLittleTextIsWhatTheTextGivesAndSaysSo) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path());
  options.vocabulary.tokeniser = text::TokeniserKind::bpe;
  options.vocabulary.size = 8000;
  options.trainer.max_updates = 1;
  Said said;
  train(options, said.print());
  EXPECT_TRUE(contains(said.text, "vocabulary: ")) << said.text;
  EXPECT_TRUE(contains(said.text, "(--vocabulary-size asks for at most 8000)")) << said.text;
}

}  // namespace
}  // namespace heed::pipeline
