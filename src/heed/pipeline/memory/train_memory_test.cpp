// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/pipeline/memory/asker.h"
#include "heed/pipeline/memory/memory_options.h"
#include "heed/pipeline/memory/memory_testing.h"
#include "heed/pipeline/memory/story_quality.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;

void hushed(std::string_view) {}

TEST(TrainMemory, LearnsWhereSomebodyWentLastAndLooksThere) {
  const TemporaryFolder folder;
  MemoryOptions options;
  testing::set_small(options, folder.path());
  const TrainingReport report = train(options, hushed);
  EXPECT_LE(report.outcome.best.at("error"), .05);
  const Asker asker(options.out);
  const StoryAnswer answer =
      asker.ask(std::vector<std::string>{"Ann went to the hall.", "Bob went to the attic.",
                                         "Ann went to the cellar."},
                "Where is Ann?", {.top = 2});
  ASSERT_EQ(answer.answers.size(), 2u);
  EXPECT_EQ(answer.answers[0].text, "cellar");
  EXPECT_GT(answer.sentences[2].weights[0], .8);
  const StoryQuality quality = asker.judge(options.valid[0]);
  EXPECT_GE(quality.right.found, .9);
}

TEST(TrainMemory, InTwoRunsGivesTheWeightsOfOne) {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  MemoryOptions whole;
  testing::set_small(whole, folder.path());
  whole.trainer.max_epochs = 8;
  train(whole, hushed);
  MemoryOptions parts;
  testing::set_small(parts, other.path());
  parts.trainer.max_epochs = 8;
  parts.trainer.max_updates = 37;  // in the linear start
  train(parts, hushed);
  parts.trainer.max_updates = 0;
  train(parts, hushed);
  EXPECT_EQ(read_file(whole.out + "/model.safetensors"),
            read_file(parts.out + "/model.safetensors"));
}

TEST(TrainMemory, StartsWithoutANormaliserAndThenHalvesItsRate) {
  const TemporaryFolder folder;
  MemoryOptions options;
  testing::set_small(options, folder.path());
  options.linear_start = 2;
  options.halve_every = 1;
  const std::unique_ptr<TrainingSetup> setup = options.setup(hushed);
  const training::Task task = setup->task();
  Random noise(1);
  std::vector<double> rates;
  for (int epoch = 0; epoch < 4;) {
    const training::BatchLoss batch = task.next_batch_loss(noise);
    if (batch.ends_epoch) {
      rates.push_back(batch.rate);
      ++epoch;
    }
  }
  EXPECT_EQ(rates, (std::vector<double>{1, 1, 1, .5}));
}

TEST(TrainMemory, TeachesHopsTheirSupportingFacts) {
  const TemporaryFolder folder;
  double mass[2] = {};
  for (const bool taught : {false, true}) {
    MemoryOptions options;
    testing::set_small(options, folder.path());
    options.out += taught ? "-taught" : "-free";
    options.linear_start = 0;
    options.trainer.max_epochs = 6;
    options.trainer.schedule.peak = .05;
    options.supervision = taught ? 1 : 0;
    train(options, hushed);
    mass[taught ? 1 : 0] = Asker(options.out).judge(options.valid[0]).right.hops[0].mass;
  }
  EXPECT_GT(mass[1], mass[0] + .1);
}

TEST(TrainMemory, LearnsFromSeveralFilesAndMeansTheirErrors) {
  const TemporaryFolder folder;
  MemoryOptions options;
  testing::set_small(options, folder.path());
  test::put(folder / "more.txt", "1 Dan sleeps.\n2 Does Dan sleep?\tyes\t1\n");
  options.train.push_back((folder / "more.txt").string());
  options.valid.push_back((folder / "more.txt").string());
  options.trainer.max_epochs = 6;
  options.linear_start = 0;
  const TrainingReport report = train(options, hushed);
  EXPECT_NE(report.data.find("301 questions of 151 stories"), std::string::npos) << report.data;
}

TEST(TrainMemory, RefusesWhatItCannotLearn) {
  const TemporaryFolder folder;
  MemoryOptions options;
  testing::set_small(options, folder.path());
  options.linear_start = 30;
  EXPECT_NE(test::message_of<UsageError>([&] { options.check(); }).find("--linear-start 30"),
            std::string::npos);
  options.linear_start = 0;
  options.supervision = 1;
  options.attention = "dot | full | sparsemax";
  EXPECT_NE(test::message_of<UsageError>([&] { train(options, hushed); }).find("--supervision"),
            std::string::npos);
  options.attention = "dot | full | softmax";
  options.valid.clear();
  test::put(folder / "train.txt", "1 Ann went.\n2 Who went?\tAnn\n");
  EXPECT_NE(test::message_of<DataError>([&] {
              train(options, hushed);
            }).find("no question names its supporting facts"),
            std::string::npos);
  test::put(folder / "train.txt", "1 Ann went.\n2 Bob went.\n");
  EXPECT_NE(test::message_of<DataError>([&] { train(options, hushed); }).find("and no question"),
            std::string::npos);
}

TEST(TrainMemory, TakesStoriesForItsOwnAndNothingElse) {
  const TemporaryFolder folder;
  MemoryOptions options;
  testing::set_small(options, folder.path());
  test::put(folder / "text.txt", "It was a dark night.\nIt rained.\n");
  const std::string stories = options.train[0], text = (folder / "text.txt").string();
  EXPECT_EQ(options.suits(std::span(&stories, 1)), 1);
  EXPECT_EQ(options.suits(std::span(&text, 1)), 0);
}

}  // namespace
}  // namespace heed::pipeline
