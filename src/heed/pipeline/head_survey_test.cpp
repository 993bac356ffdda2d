// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/head_survey.h"

#include <gtest/gtest.h>

#include "heed/pipeline/watched_testing.h"

namespace heed::pipeline {
namespace {

TEST(HeadSurvey, KnowsWhatEachHeadIsWorth) {
  const testing::OneUsefulHead data(6);
  std::uint64_t most = 0;
  const HeadSurvey survey = survey_heads(data, {.prune = true, .gate_steps = 10}, {},
                                         [&](std::uint64_t done, std::uint64_t total) {
                                           EXPECT_LE(done, total);
                                           most = std::max(most, done);
                                         });
  EXPECT_GT(most, 6u);
  ASSERT_EQ(survey.heads.size(), 2u);
  EXPECT_EQ(survey.heads[0].name(), "self 0.0");
  EXPECT_NEAR(survey.heads[0].importance, 1, 1e-6);
  EXPECT_NEAR(survey.heads[1].importance, 0, 1e-6);
  EXPECT_NEAR(survey.heads[0].added_loss, 1, 1e-6);
  EXPECT_NEAR(survey.heads[0].lost_right, 1, 1e-6);
  EXPECT_NEAR(survey.heads[1].added_loss, 0, 1e-6);
  EXPECT_NEAR(survey.heads[0].roles.entropy, 1, 1e-6);
  // By importance the idle head goes first.
  ASSERT_EQ(survey.curves.size(), 3u);
  EXPECT_EQ(survey.curves[0].order, "importance");
  EXPECT_NEAR(survey.curves[0].steps[1].loss, 0, 1e-6);
  EXPECT_NEAR(survey.curves[0].steps[2].loss, 1, 1e-6);
}

}  // namespace
}  // namespace heed::pipeline
