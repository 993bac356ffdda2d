// SPDX-License-Identifier: Apache-2.0
#include "heed/training/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/testing.h"

namespace heed::training {
namespace {

TEST(Schedule, ClimbsALineToThePeakAtTheEndOfTheWarmUp) {
  for (const Decay decay :
       {Decay::constant, Decay::inverse_square_root, Decay::cosine, Decay::step, Decay::plateau}) {
    const Schedule schedule(
        {.decay = decay, .peak = 2, .warm_up = 100, .decay_updates = 1000, .factor = 0.1});
    EXPECT_DOUBLE_EQ(schedule.rate(1), 0.02);
    EXPECT_DOUBLE_EQ(schedule.rate(50), 1);
    EXPECT_DOUBLE_EQ(schedule.rate(100), 2);
  }
}

TEST(Schedule, ConstantStaysAtItsPeak) {
  const Schedule schedule({.decay = Decay::constant, .peak = 0.3});
  EXPECT_DOUBLE_EQ(schedule.rate(1), 0.3);
  EXPECT_DOUBLE_EQ(schedule.rate(1'000'000), 0.3);
}

TEST(Schedule, InverseSquareRootHalvesWhenUpdatesGrowFourfold) {
  const Schedule schedule({.peak = 1e-3, .warm_up = 400});
  EXPECT_DOUBLE_EQ(schedule.rate(1600), 0.5e-3);
  EXPECT_DOUBLE_EQ(schedule.rate(6400), 0.25e-3);
  EXPECT_DOUBLE_EQ(Schedule({.peak = 1}).rate(4), 0.5);  // without a warm-up: 1 / sqrt(t)
}

TEST(Schedule, InverseSquareRootIsThatOfVaswaniForItsPeak) {
  // d^-0.5 min(t^-0.5, t w^-1.5), whose peak is (d w)^-0.5.
  const double d = 512;
  const double w = 4000;
  const Schedule schedule({.peak = 1 / std::sqrt(d * w), .warm_up = 4000});
  for (const std::int64_t t : {1, 10, 3999, 4000, 4001, 100'000}) {
    const auto x = static_cast<double>(t);
    const double theirs = std::min(std::pow(x, -0.5), x * std::pow(w, -1.5)) / std::sqrt(d);
    EXPECT_NEAR(schedule.rate(t), theirs, 1e-12) << t;
  }
}

TEST(Schedule, CosineIsHalfWayDownInTheMiddleAndStaysAtItsFloor) {
  const Schedule schedule(
      {.decay = Decay::cosine, .peak = 1, .low = 0.2, .warm_up = 100, .decay_updates = 300});
  EXPECT_NEAR(schedule.rate(150), 0.2 + 0.8 * (1 + std::sqrt(0.5)) / 2, 1e-12);
  EXPECT_NEAR(schedule.rate(200), 0.6, 1e-12);
  EXPECT_NEAR(schedule.rate(300), 0.2, 1e-12);
  EXPECT_NEAR(schedule.rate(5000), 0.2, 1e-12);
}

TEST(Schedule, StepCutsAfterEveryPeriodDownToTheLowest) {
  const Schedule schedule({.decay = Decay::step,
                           .peak = 1,
                           .low = 0.1,
                           .warm_up = 10,
                           .decay_updates = 100,
                           .factor = 0.5});
  EXPECT_DOUBLE_EQ(schedule.rate(110), 1);
  EXPECT_DOUBLE_EQ(schedule.rate(111), 0.5);
  EXPECT_DOUBLE_EQ(schedule.rate(210), 0.5);
  EXPECT_DOUBLE_EQ(schedule.rate(211), 0.25);
  EXPECT_DOUBLE_EQ(schedule.rate(911), 0.1);
}

TEST(Schedule, PlateauCutsAfterEachPatienceWithoutABetterValidation) {
  const ScheduleOptions options{.decay = Decay::plateau, .peak = 1, .factor = 0.5, .patience = 2};
  Schedule schedule(options);
  const auto rate_after = [&](std::int64_t stale) {
    schedule.observe(stale);
    return schedule.rate(7);
  };
  EXPECT_DOUBLE_EQ(rate_after(0), 1);
  EXPECT_DOUBLE_EQ(rate_after(1), 1);
  EXPECT_DOUBLE_EQ(rate_after(2), 0.5);
  EXPECT_DOUBLE_EQ(rate_after(3), 0.5);
  EXPECT_DOUBLE_EQ(rate_after(4), 0.25);
  EXPECT_DOUBLE_EQ(rate_after(0), 0.25);  // better again: it stays where it is
  Schedule again(options);
  again.restore(schedule.cuts());
  EXPECT_DOUBLE_EQ(again.rate(7), 0.25);
}

TEST(Schedule, OnlyAPlateauListensToValidations) {
  Schedule schedule({.decay = Decay::constant, .peak = 1, .patience = 1});
  schedule.observe(1);
  EXPECT_EQ(schedule.cuts(), 0);
}

TEST(Schedule, SaysWhichOptionIsMissingOrOutOfRange) {
  EXPECT_EQ(
      heed::test::message_of<UsageError>([] { Schedule({.decay = Decay::cosine, .warm_up = 5}); }),
      "schedule cosine: --decay-updates is 0; it takes the update at which the lowest rate "
      "is reached, after the warm-up");
  EXPECT_THROW(Schedule({.decay = Decay::step}), UsageError);
  EXPECT_THROW(Schedule({.peak = 0}), UsageError);
  EXPECT_THROW(Schedule({.peak = 1, .low = 2}), UsageError);
  EXPECT_THROW(Schedule({.warm_up = -1}), UsageError);
  EXPECT_THROW(Schedule({.decay = Decay::plateau, .factor = 1}), UsageError);
  EXPECT_THROW(Schedule({.decay = Decay::plateau, .patience = 0}), UsageError);
}

}  // namespace
}  // namespace heed::training
