// SPDX-License-Identifier: Apache-2.0
// Trainings of recognisers: they learn, and go on to the same bits.
#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/images/testing.h"
#include "heed/pipeline/recognise/recognise_testing.h"
#include "heed/pipeline/recognise/strip_reader.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;
using testing::silent;

TEST(TrainRecognise, LearnsShortStripsByCtc) {
  const TemporaryFolder folder;
  RecogniseOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 150;
  const TrainingReport report = train(options, silent);
  EXPECT_LE(report.outcome.best.at("error"), .3);
  EXPECT_EQ(report.data, "2400 fresh strips of 1 to 3 symbols");
}

class EveryLabelWriting : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryLabelWriting, InTwoRunsGivesTheWeightsOfOne) {
  const TemporaryFolder folder;
  write_atomically(folder / "i", images::testing::small_digit_images(30, 12));
  write_atomically(folder / "l", images::testing::small_digit_labels(30));
  const auto trained = [&](const std::string& name, const std::vector<std::int64_t>& ends) {
    RecogniseOptions options;
    testing::set_small(options, folder / name);
    options.valid_strips = 0;  // the latest is kept, not the best
    if (GetParam() == "digits") {
      options.task = StripTask::digits;
      options.images = (folder / "i").string();
      options.labels = (folder / "l").string();
    }
    if (GetParam() == "attention" || GetParam() == "monotonic") {
      options.model.writing = models::LabelWriting::attention;
    }
    if (GetParam() == "monotonic") options.model.attention = "monotonic(size=16, hard=true)";
    for (const std::int64_t updates : ends) {
      options.trainer.max_updates = updates;
      train(options, silent);
    }
    return read_file(options.out + "/model.safetensors");
  };
  EXPECT_TRUE(trained("whole", {8}) == trained("parts", {5, 8}));
}

INSTANTIATE_TEST_SUITE_P(All, EveryLabelWriting,
                         ::testing::Values("ctc", "digits", "attention", "monotonic"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace heed::pipeline
