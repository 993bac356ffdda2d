// SPDX-License-Identifier: Apache-2.0
// Tests of several trainings: their folders, their spread, resuming, and what is refused.
#include "heed/pipeline/repeat.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/language/language_testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using test::message_of;
using test::TemporaryFolder;

TEST(Repeat, TrainsOnceForEachSeedAndGivesTheSpread) {
  const TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 6;
  options.seeds = {"1", "2", "3"};
  ASSERT_TRUE(is_repeated(options));
  const std::vector<Repetition> runs = train_repeatedly(options, testing::silent);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1].name, "seed 2");
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(runs[1].out) / "model.safetensors"));
  EXPECT_NE(runs[0].report.outcome.best.at("loss"), runs[1].report.outcome.best.at("loss"));
  // A second call resumes what is finished, and finds the same.
  const std::vector<Repetition> again = train_repeatedly(options, testing::silent);
  EXPECT_EQ(again[2].report.outcome.best, runs[2].report.outcome.best);
}

TEST(Repeat, HoldsEachFoldOutInTurn) {
  const TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  options.valid.clear();
  options.trainer.max_updates = 4;
  options.folds = 3;
  const std::vector<Repetition> runs = train_repeatedly(options, testing::silent);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[2].name, "fold 2");
  EXPECT_NE(runs[0].report.data, "");
}

TEST(Repeat, GivesMeanAndDeviationOfTheRuns) {
  std::vector<Repetition> runs(3);
  runs[0].report.outcome.best = {{"accuracy", 0.5}, {"loss", 1}};
  runs[1].report.outcome.best = {{"accuracy", 0.7}, {"loss", 2}};
  runs[2].report.outcome.best = {{"accuracy", 0.9}};
  const std::vector<Spread> found = spreads(runs);
  ASSERT_EQ(found.size(), 1u) << "the loss is not known of every run";
  EXPECT_EQ(found[0].metric, "accuracy");
  EXPECT_NEAR(found[0].mean, 0.7, 1e-12);
  EXPECT_NEAR(found[0].deviation, 0.2, 1e-12);
  EXPECT_EQ(found[0].lowest, 0.5);
  EXPECT_EQ(found[0].highest, 0.9);
  EXPECT_TRUE(spreads({}).empty());
}

TEST(Repeat, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  options.seeds = {"1", "1"};
  EXPECT_EQ(message_of<UsageError>([&] { train_repeatedly(options, testing::silent); }),
            "--seeds: 1 comes twice; each training takes a seed of its own");
  options.seeds = {"one"};
  EXPECT_THROW(train_repeatedly(options, testing::silent), UsageError);
  options.seeds.clear();
  options.folds = 3;
  EXPECT_NE(message_of<UsageError>([&] {
              train_repeatedly(options, testing::silent);
            }).find("leave --valid out"),
            std::string::npos);
  LanguageOptions language;
  testing::set_small(language, folder.path());
  language.folds = 2;
  EXPECT_NE(message_of<UsageError>([&] {
              train_repeatedly(language, testing::silent);
            }).find("use --seeds"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::pipeline
