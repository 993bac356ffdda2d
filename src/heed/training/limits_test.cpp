// SPDX-License-Identifier: Apache-2.0
#include "heed/training/limits.h"

#include <gtest/gtest.h>

namespace heed::training {
namespace {

TrainerState state_at(std::int64_t update, double seconds = 0) {
  TrainerState state;
  state.update = update;
  state.seconds = seconds;
  return state;
}

TEST(Limits, TheFirstOneReachedEndsTheRun) {
  TrainerOptions options;
  EXPECT_FALSE(limit_reached(options, state_at(1'000'000, 1e9)));
  options.max_updates = 100;
  EXPECT_FALSE(limit_reached(options, state_at(99)));
  EXPECT_TRUE(limit_reached(options, state_at(100)));
  options.max_minutes = 0.5;
  EXPECT_TRUE(limit_reached(options, state_at(1, 30)));
  options.max_epochs = 2;
  TrainerState state = state_at(50);
  state.epochs = 2;
  EXPECT_TRUE(limit_reached(options, state));
}

TEST(Limits, TheTimeLeftIsThatToTheNearestLimit) {
  TrainerOptions options;
  const TrainerState start = state_at(100, 1000);
  TrainerState state = state_at(200, 1050);  // half a second per update
  EXPECT_FALSE(seconds_left(options, state, start).has_value());
  options.max_updates = 1000;
  EXPECT_DOUBLE_EQ(*seconds_left(options, state, start), 400);
  options.max_epochs = 3;
  EXPECT_DOUBLE_EQ(*seconds_left(options, state, start), 400);  // no epoch has shown its length
  state.epochs = 1;
  state.epoch_end = 180;
  EXPECT_DOUBLE_EQ(*seconds_left(options, state, start), 170);  // 340 updates to 540
  options.max_minutes = 18;
  EXPECT_DOUBLE_EQ(*seconds_left(options, state, start), 30);
  options.max_minutes = 1;
  EXPECT_DOUBLE_EQ(*seconds_left(options, state, start), 0);
}

TEST(Limits, IntervalsEndAtTheirMultiples) {
  using Unit = Interval::Unit;
  EXPECT_FALSE(is_due({5, Unit::updates}, state_at(0), 0));
  EXPECT_FALSE(is_due({5, Unit::updates}, state_at(9), 0));
  EXPECT_TRUE(is_due({5, Unit::updates}, state_at(10), 0));
  TrainerState state = state_at(10);
  state.epochs = 4;
  state.epoch_end = 10;
  EXPECT_TRUE(is_due({2, Unit::epochs}, state, 0));
  EXPECT_FALSE(is_due({3, Unit::epochs}, state, 0));
  state.update = 11;  // an epoch ends only once
  EXPECT_FALSE(is_due({2, Unit::epochs}, state, 0));
  EXPECT_FALSE(is_due({1, Unit::minutes}, state_at(1, 159), 100));
  EXPECT_TRUE(is_due({1, Unit::minutes}, state_at(1, 160), 100));
}

TEST(Limits, AnUpdateThatEndsAnEpochBelongsToIt) {
  EXPECT_EQ(epoch_of(state_at(0)), 1);
  TrainerState state = state_at(10);
  EXPECT_EQ(epoch_of(state), 1);
  state.epochs = 1;
  state.epoch_end = 10;
  EXPECT_EQ(epoch_of(state), 1);
  state.update = 11;
  EXPECT_EQ(epoch_of(state), 2);
}

}  // namespace
}  // namespace heed::training
