// SPDX-License-Identifier: Apache-2.0
// Tests of calibration with numbers that can be checked by hand.
#include "heed/metrics/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/random.h"

namespace heed::metrics {
namespace {

TEST(Calibration, ComparesConfidenceAndAccuracyBinByBin) {
  const std::vector<Judged> judged = {
      {0.95, true}, {0.91, true}, {0.93, false}, {0.55, true}, {1.0, true}};
  const std::vector<ReliabilityBin> bins = reliability(judged);
  EXPECT_EQ(bins[9].count, 4u) << "1.0 is in the last bin";
  EXPECT_NEAR(bins[9].confidence, (0.95 + 0.91 + 0.93 + 1.0) / 4, 1e-12);
  EXPECT_NEAR(bins[9].accuracy, 0.75, 1e-12);
  EXPECT_EQ(bins[5].count, 1u);
  EXPECT_NEAR(calibration_error(judged), (4 * std::abs(0.9475 - 0.75) + 0.45) / 5, 1e-12);
  EXPECT_EQ(calibration_error({}), 0);
}

TEST(Calibration, FindsTheTemperatureThatScoresWereMultipliedBy) {
  // Labels drawn from softmax(scores), then the scores made three times as sure of themselves.
  Random random(1);
  std::vector<ScoredExample> examples;
  for (int i = 0; i < 4000; ++i) {
    ScoredExample example;
    double sum = 0;
    for (int c = 0; c < 3; ++c) example.scores.push_back(2 * random.normal());
    for (const double score : example.scores) sum += std::exp(score);
    double left = random.uniform() * sum;
    while (example.target < 2 && (left -= std::exp(example.scores[example.target])) > 0) {
      ++example.target;
    }
    for (double& score : example.scores) score *= 3;
    examples.push_back(example);
  }
  const double found = best_temperature(examples);
  EXPECT_NEAR(found, 3, 0.2);
  EXPECT_LT(tempered_loss(examples, found), tempered_loss(examples, 1));
  const auto cost = [&](double temperature) {
    return 4000 * tempered_loss(examples, temperature) + 2 * std::pow(std::log(temperature), 2);
  };
  for (const double other : {found * 0.999, found * 1.001}) EXPECT_LE(cost(found), cost(other));
  EXPECT_EQ(best_temperature({}), 1);
}

TEST(Calibration, IsMovedLittleByFewExamplesAndMuchByMany) {
  const auto found = [](std::size_t count) {
    return best_temperature(std::vector<ScoredExample>(count, {.scores = {2, 0}, .target = 0}));
  };
  EXPECT_LT(found(20), 1) << "all are right";
  EXPECT_GT(found(20), .5);
  EXPECT_LT(found(2000), found(20));
  EXPECT_GE(found(20'000), kLowestTemperature);
  const std::vector<ScoredExample> wrong(2000, {.scores = {2, 0}, .target = 1});
  EXPECT_NEAR(best_temperature(wrong), kHighestTemperature, 1e-3);
}

TEST(Calibration, LossIsTheMeanNegativeLogLikelihood) {
  const std::vector<ScoredExample> one = {{.scores = {1, 3, 0}, .target = 1}};
  EXPECT_NEAR(tempered_loss(one, 2), std::log(std::exp(.5) + std::exp(1.5) + 1) - 1.5, 1e-12);
}

TEST(Calibration, ChoosesTheLowestThresholdThatIsRightOftenEnough) {
  const std::vector<Judged> judged = {{0.9, true}, {0.8, true}, {0.7, false},
                                      {0.6, true}, {0.6, true}, {0.4, false}};
  const ChosenThreshold chosen = threshold_for(judged, 0.8);
  EXPECT_EQ(chosen.threshold, 0.6);
  EXPECT_NEAR(chosen.coverage, 5.0 / 6, 1e-12);
  EXPECT_NEAR(chosen.accuracy, 0.8, 1e-12);
  EXPECT_EQ(threshold_for(judged, 1.0).threshold, 0.8);
  const std::vector<Judged> wrong = {{0.9, false}};
  EXPECT_EQ(threshold_for(wrong, 0.5).coverage, 0);
  EXPECT_EQ(threshold_for(wrong, 0.5).threshold, 1);
}

}  // namespace
}  // namespace heed::metrics
