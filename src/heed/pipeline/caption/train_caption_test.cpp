// SPDX-License-Identifier: Apache-2.0
// Trainings of captioners: they learn, and go on to the same bits, soft and hard.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/caption/caption_testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;
using testing::silent;

TEST(TrainCaption, LearnsTheFirstWords) {
  const TemporaryFolder folder;
  CaptionOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 60;
  options.trainer.validate_every = "20";
  const TrainingReport report = train(options, silent);
  EXPECT_LE(report.outcome.best.at("loss"), 2.2);  // of 3.3 for words at random
  EXPECT_EQ(report.data, "40 pictures with captions");
}

class EveryCaptionAttention : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryCaptionAttention, InTwoRunsGivesTheWeightsOfOne) {
  const TemporaryFolder folder;
  const auto trained = [&](const std::string& name, const std::vector<std::int64_t>& ends) {
    CaptionOptions options;
    testing::set_small(options, folder / name);
    options.pictures.valid_scenes = 0;
    options.attention = GetParam();
    for (const std::int64_t updates : ends) {
      options.trainer.max_updates = updates;
      train(options, silent);
    }
    return read_file(options.out + "/model.safetensors");
  };
  EXPECT_TRUE(trained("whole", {8}) == trained("parts", {5, 8}));
}

INSTANTIATE_TEST_SUITE_P(All, EveryCaptionAttention,
                         ::testing::Values("additive(size=8)", "additive(size=8) | full | sample",
                                           "none"),
                         [](const auto& info) { return std::to_string(info.index); });

TEST(TrainCaption, AsksForStagesThatCanBe) {
  const TemporaryFolder folder;
  CaptionOptions options;
  testing::set_small(options, folder.path());
  options.stages = {};
  EXPECT_THROW(train(options, silent), UsageError);
  options.stages = {"4:3:100"};
  EXPECT_THROW(train(options, silent), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
