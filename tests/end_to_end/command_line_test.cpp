// SPDX-License-Identifier: Apache-2.0
// Options on a command line: flags and their negation, lists, config files in any order, dumps.
#include "cli/command_line.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using test::message_of;
using test::put;
using test::TemporaryFolder;

// A verb with one option of each kind, and whether it ran.
struct Sample {
  std::int64_t steps = 10;
  double rate = 0.5;
  bool shuffle = true;
  std::string rule = "adam";
  std::vector<std::string> data;
  Options options;
  bool ran = false;
  std::string help;

  Sample() {
    options.add("steps", steps, "how many updates").at_least(1);
    options.add("rate", rate, "size of an update");
    options.add("shuffle", shuffle, "new order in every epoch");
    options.add("rule", rule, "update rule").one_of({"adam", "sgd"});
    options.add("data", data, "files");
  }

  void run(std::vector<std::string> words) {
    cli::CommandLine line(cli::HelpPage{.name = "sample", .summary = "Try options"});
    const auto action = line.with_options(options, [this] { ran = true; });
    help = cli::help_text(line.help());
    words.insert(words.begin(), "sample");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    if (line.parse(static_cast<int>(arguments.size()), arguments.data())) action();
  }
};

TEST(OptionsOnTheCommandLine, SetEveryKind) {
  Sample sample;
  sample.run({"--steps", "3", "--rate=-2", "--no-shuffle", "--rule", "sgd", "--data", "a", "b",
              "--data", "c"});
  EXPECT_TRUE(sample.ran);
  EXPECT_EQ(sample.steps, 3);
  EXPECT_EQ(sample.rate, -2.0);
  EXPECT_FALSE(sample.shuffle);
  EXPECT_EQ(sample.rule, "sgd");
  EXPECT_EQ(sample.data, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(OptionsOnTheCommandLine, KeepTheDefaultsWhenNothingIsSaid) {
  Sample sample;
  sample.run({});
  EXPECT_TRUE(sample.ran);
  EXPECT_EQ(sample.steps, 10);
  EXPECT_TRUE(sample.shuffle);
  EXPECT_FALSE(sample.options.is_set("steps"));
}

TEST(OptionsOnTheCommandLine, TakeTheLastOfSeveral) {
  Sample sample;
  sample.run({"--steps", "3", "--steps", "4", "--no-shuffle", "--shuffle"});
  EXPECT_EQ(sample.steps, 4);
  EXPECT_TRUE(sample.shuffle);
  Sample other;
  other.run({"--shuffle", "--no-shuffle"});
  EXPECT_FALSE(other.shuffle);
  Sample third;
  third.run({"--shuffle=false"});
  EXPECT_FALSE(third.shuffle);
}

TEST(OptionsOnTheCommandLine, OverrideTheFileBeforeOrBehindIt) {
  const TemporaryFolder folder;
  put(folder / "c.toml", "steps = 5\nshuffle = false\nrate = 0.25\n");
  const std::string file = (folder / "c.toml").string();
  for (const auto& words :
       {std::vector<std::string>{"--config", file, "--steps", "7", "--shuffle"},
        std::vector<std::string>{"--steps", "7", "--shuffle", "--config", file}}) {
    Sample sample;
    sample.run(words);
    EXPECT_EQ(sample.steps, 7);
    EXPECT_TRUE(sample.shuffle);
    EXPECT_EQ(sample.rate, 0.25);
  }
}

TEST(OptionsOnTheCommandLine, DumpTheEffectiveConfigInsteadOfRunning) {
  const TemporaryFolder folder;
  put(folder / "c.toml", "rate = 0.25\n");
  Sample sample;
  ::testing::internal::CaptureStdout();
  sample.run({"--dump-config", "--steps", "7", "--config", (folder / "c.toml").string()});
  const std::string dumped = ::testing::internal::GetCapturedStdout();
  EXPECT_FALSE(sample.ran);
  Sample again;
  again.options.read_toml_text(dumped, "dump");
  EXPECT_EQ(again.steps, 7);
  EXPECT_EQ(again.rate, 0.25);
}

TEST(OptionsOnTheCommandLine, RefuseBadValuesByTheOptionsName) {
  Sample sample;
  EXPECT_EQ(message_of<UsageError>([&] {
              sample.run({"--steps", "0"});
            }),
            "--steps is 0: it takes a whole number of at least 1");
  EXPECT_EQ(message_of<UsageError>([&] {
              sample.run({"--rule", "adma"});
            }),
            "--rule is \"adma\": it takes one of adam, sgd (did you mean \"adam\"?)");
  EXPECT_THROW(sample.run({"--config", "/nowhere/c.toml"}), DataError);
}

TEST(OptionsOnTheCommandLine, AreExplainedWithTheirDefaults) {
  Sample sample;
  sample.run({});
  EXPECT_NE(sample.help.find("  --steps N                     how many updates (default: 10)\n"),
            std::string::npos)
      << sample.help;
  EXPECT_NE(sample.help.find("--rule adam|sgd "), std::string::npos) << sample.help;
  EXPECT_NE(sample.help.find("--[no-]shuffle "), std::string::npos) << sample.help;
  EXPECT_NE(sample.help.find("new order in every epoch (default: on)\n"), std::string::npos);
}

}  // namespace
}  // namespace heed
