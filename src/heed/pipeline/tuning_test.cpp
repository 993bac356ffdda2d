// SPDX-License-Identifier: Apache-2.0
// Tests of tuning: spaces, draws, trials that go on, and a search that resumes.
#include "heed/pipeline/tuning.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using test::message_of;
using test::TemporaryFolder;

TEST(SearchSpace, ReadsChoicesAndRangesAndLeavesTheOtherOptions) {
  const SearchSpace space = read_search_space(
      "preset = \"bag\"\nmax-updates = 9\n[ranges]\nhidden = [8, 16]\n"
      "dropout = {low = 0.0, high = 0.5}\nlayers = {low = 1, high = 3}\n"
      "learning-rate = {low = 1e-4, high = 1e-2, scale = \"log\"}\n",
      "space");
  ASSERT_EQ(space.ranges.size(), 4u);
  EXPECT_NE(space.fixed.find("max-updates = 9\n"), std::string::npos) << space.fixed;
  EXPECT_EQ(space.fixed.find("ranges"), std::string::npos);
  double logarithms = 0;
  for (std::int64_t trial = 0; trial < 200; ++trial) {
    const OptionValues values = drawn_values(space, 1, trial);
    EXPECT_EQ(values, drawn_values(space, 1, trial));
    for (const auto& [name, value] : values) {
      const double number = parse_number(value, name);
      EXPECT_TRUE(name != "hidden" || (number == 8 || number == 16)) << value;
      EXPECT_TRUE(name != "dropout" || (number >= 0 && number <= 0.5)) << value;
      EXPECT_TRUE(name != "layers" || (number == 1 || number == 2 || number == 3)) << value;
      if (name == "learning-rate") logarithms += std::log10(number) / 200;
    }
  }
  EXPECT_NEAR(logarithms, -3, 0.15);  // the deviation of the mean is 0.04
  EXPECT_NE(drawn_values(space, 1, 0), drawn_values(space, 2, 0));
}

TEST(SearchSpace, RefusesRangesThatAreNone) {
  const auto refused = [](const std::string& range) {
    return message_of<UsageError>([&] { read_search_space("[ranges]\n" + range, "s"); });
  };
  EXPECT_NE(refused("dropout = 0.5").find("s:2: dropout takes a list of values"),
            std::string::npos);
  EXPECT_NE(refused("dropout = {low = 1, high = 0}").find("with low below high"),
            std::string::npos);
  EXPECT_NE(refused("hidden = []").find("has no values"), std::string::npos);
  EXPECT_NE(refused("x = {low = 0.0, high = 1.0, scale = \"log\"}").find("above 0"),
            std::string::npos);
  EXPECT_NE(refused("x = {low = 0.0, high = 1.0, scale = \"cubic\"}").find("linear or log"),
            std::string::npos);
  EXPECT_NE(refused("").find("[ranges]"), std::string::npos);
  EXPECT_NE(refused("x = [").find("s:"), std::string::npos);
}

struct SmallSearch {
  TemporaryFolder folder;
  ClassifyOptions options;
  SearchSpace space;
  TuneOptions tuning;

  SmallSearch() {
    testing::set_small(options, folder.path());
    options.trainer.max_updates = 9;
    options.trainer.early_stopping = "loss";
    options.out = "replaced";
    space.fixed = options.list.to_toml();
    space.ranges = {{.name = "learning-rate", .choices = {"0.5", "0.01", "1e-06"}}};
    std::string fixed;
    for (const std::string_view line : split(space.fixed, '\n')) {
      if (!line.starts_with("learning-rate =")) fixed += std::string(line) + "\n";
    }
    space.fixed = fixed;
    tuning = {.out = (folder / "search").string(), .trials = 6, .rungs = 2};
  }
};

TEST(Tune, LetsTheBestThirdGoOnAndResumesWhatItKnows) {
  SmallSearch search;
  const ModelKind& kind = search.options.kind();
  const TuneReport report = tune(kind, search.space, search.tuning, testing::silent);
  ASSERT_EQ(report.trials.size(), 6u);
  EXPECT_EQ(report.metric, search.options.trainer.early_stopping);
  EXPECT_EQ(report.trials[0].rung, 1);
  EXPECT_EQ(report.trials[1].rung, 1);
  EXPECT_EQ(report.trials[2].rung, 0);
  EXPECT_EQ(report.trials[0].updates, 9);
  EXPECT_EQ(report.trials[2].updates, 3);
  EXPECT_LE(report.trials[0].value, report.trials[1].value);
  const std::string kept = read_file(search.folder / "search" / "trials.tsv");
  EXPECT_EQ(split(trim(kept), '\n').size(), 1u + 6 + 2);
  // All of it is known now: nothing is trained, and nothing changes.
  std::vector<std::string> said;
  const TuneReport again = tune(kind, search.space, search.tuning,
                                [&](std::string_view line) { said.emplace_back(line); });
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(again.trials[0].number, report.trials[0].number);
  EXPECT_EQ(read_file(search.folder / "search" / "trials.tsv"), kept);
  // Another search does not mix with it, nor another figure of the same.
  search.tuning.rungs = 1;
  EXPECT_THROW(tune(kind, search.space, search.tuning, testing::silent), UsageError);
  search.tuning.rungs = 2;
  search.tuning.seed = 2;
  EXPECT_NE(message_of<UsageError>([&] {
              tune(kind, search.space, search.tuning, testing::silent);
            }).find("another search was begun there"),
            std::string::npos);
}

TEST(Tune, ChecksEveryTrialBeforeItTrains) {
  SmallSearch search;
  search.space.ranges.push_back({.name = "no-such-option", .choices = {"1"}});
  EXPECT_THROW(tune(search.options.kind(), search.space, search.tuning, testing::silent),
               UsageError);
  EXPECT_FALSE(std::filesystem::exists(search.folder / "search"));
}

}  // namespace
}  // namespace heed::pipeline
