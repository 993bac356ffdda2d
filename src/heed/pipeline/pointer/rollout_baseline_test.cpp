// SPDX-License-Identifier: Apache-2.0
// When the frozen copy is replaced, and that a checkpoint keeps it.
#include "heed/pipeline/pointer/rollout_baseline.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

std::unique_ptr<models::PointModel> small_tour_model(std::uint64_t seed) {
  Random random(seed);
  return models::make_point_model(
      {.reading = models::PointReading::attention, .width = 8, .layers = 1, .heads = 2, .inner = 8},
      random);
}

std::vector<corpora::PointSet> small_tours(std::uint64_t batch) {
  return corpora::draw_sets({.task = corpora::PointTask::tour,
                             .count = 6,
                             .points = 5,
                             .batch = batch,
                             .answers = false});
}

// Another model's weights, so that tours change.
void take_weights(models::PointModel& to, const models::PointModel& from) {
  const nn::Parameters source = nn::parameters(from);
  nn::Parameters target = nn::parameters(to);
  for (std::size_t i = 0; i < source.size(); ++i) {
    target[i].variable.mutable_value().assign(source[i].variable.value());
  }
}

TEST(RolloutBaseline, IsAMovingAverageInTheFirstEpoch) {
  const auto model = small_tour_model(1);
  RolloutBaseline baseline(*model, [] { return small_tour_model(2); },
                           {.points = 5, .epoch_batches = 2});
  const auto sets = small_tours(0);
  EXPECT_EQ(baseline(0, sets, std::vector<double>(6, 3)), std::vector<double>(6, 3));
  const double next = baseline(1, sets, std::vector<double>(6, 4)).front();
  EXPECT_NEAR(next, .8 * 3 + .2 * 4, 1e-6);
  EXPECT_EQ(baseline(2, sets, std::vector<double>(6, 9)), greedy_lengths(*model, sets));
}

TEST(RolloutBaseline, ReplacesTheCopyOnlyWhenTheModelIsBetter) {
  const auto model = small_tour_model(1);
  const auto one = small_tour_model(1), other = small_tour_model(3);
  const auto sets = corpora::draw_sets(
      {.task = corpora::PointTask::tour, .count = 300, .points = 8, .batch = 77, .answers = false});
  const auto total = [&](const models::PointModel& of) {
    double sum = 0;
    for (const double length : greedy_lengths(of, sets)) sum += length;
    return sum;
  };
  const bool other_is_better = total(*other) < total(*one);
  const models::PointModel& good = other_is_better ? *other : *one;
  const models::PointModel& bad = other_is_better ? *one : *other;
  take_weights(*model, bad);
  RolloutBaseline baseline(*model, [] { return small_tour_model(2); },
                           {.sets = 1000, .points = 8, .epoch_batches = 10});
  EXPECT_EQ(baseline.begin(7), "");
  EXPECT_EQ(baseline.begin(10), "");  // after the first epoch it is simply taken
  EXPECT_EQ(baseline(10, sets, {}), greedy_lengths(bad, sets));
  take_weights(*model, good);
  EXPECT_NE(baseline.begin(20).find("the model is the copy now"), std::string::npos);
  EXPECT_EQ(baseline(20, sets, {}), greedy_lengths(good, sets));
  EXPECT_NE(baseline.begin(20).find("start over with a lower --learning-rate"), std::string::npos);
  take_weights(*model, bad);
  EXPECT_NE(baseline.begin(30).find("the copy stays"), std::string::npos);
  EXPECT_EQ(baseline(30, sets, {}), greedy_lengths(good, sets));
}

TEST(RolloutBaseline, GoesOnFromWhatACheckpointKept) {
  const auto model = small_tour_model(1);
  const auto make = [] { return small_tour_model(2); };
  const RolloutBaselineOptions options{.points = 5, .epoch_batches = 2};
  RolloutBaseline first(*model, make, options);
  const auto sets = small_tours(1);
  first(0, sets, std::vector<double>(6, 3));
  const auto kept = first.carried();
  const auto next = first(1, sets, std::vector<double>(6, 3.3));
  take_weights(*model, *small_tour_model(5));
  RolloutBaseline second(*model, make, options);
  second.carry(kept);
  EXPECT_EQ(second(1, sets, std::vector<double>(6, 3.3)), next);
  EXPECT_EQ(second(2, sets, {}), first(2, sets, {}));
  first.begin(2);  // what was kept stays as it was
  second.carry(kept);
  EXPECT_NE(second.carried().at("copy.end").values(), first.carried().at("copy.end").values());
  EXPECT_EQ(test::message_of<DataError>([&] { second.carry({}); }),
            "checkpoint: \"copy.embed.weight\" of the baseline is missing");
}

}  // namespace
}  // namespace heed::pipeline
