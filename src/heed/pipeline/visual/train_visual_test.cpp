// SPDX-License-Identifier: Apache-2.0
// Trainings on questions: they learn, and go on to the same bits, with looks that are soft, drawn
// or none.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/testing.h"
#include "heed/pipeline/visual/visual_testing.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;
using testing::silent;

TEST(TrainVisual, LearnsWhichAnswersAKindOfQuestionHas) {
  const TemporaryFolder folder;
  VisualOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 60;
  options.trainer.validate_every = "20";
  const TrainingReport report = train(options, silent);
  EXPECT_LE(report.outcome.best.at("loss"), 2.3);  // of 2.9 at random
  EXPECT_EQ(report.data, "40 pictures with 80 questions");
}

struct Looked {
  const char* name;
  models::PictureReading reading;
  const char* attention;
};
class EveryPictureReading : public ::testing::TestWithParam<Looked> {};

TEST_P(EveryPictureReading, InTwoRunsGivesTheWeightsOfOne) {
  const TemporaryFolder folder;
  const auto trained = [&](const std::string& name, const std::vector<std::int64_t>& ends) {
    VisualOptions options;
    testing::set_small(options, folder / name);
    options.pictures.valid_scenes = 0;
    options.reading = GetParam().reading;
    options.attention = GetParam().attention;
    for (const std::int64_t updates : ends) {
      options.trainer.max_updates = updates;
      train(options, silent);
    }
    return read_file(options.out + "/model.safetensors");
  };
  EXPECT_TRUE(trained("whole", {8}) == trained("parts", {5, 8}));
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryPictureReading,
    ::testing::Values(Looked{"soft", models::PictureReading::attention, "additive(size=8)"},
                      Looked{"drawn", models::PictureReading::attention,
                             "additive(size=8) | full | sample"},
                      Looked{"mean", models::PictureReading::mean, "additive"},
                      Looked{"blind", models::PictureReading::nothing, "additive"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace heed::pipeline
