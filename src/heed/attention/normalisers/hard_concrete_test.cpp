// SPDX-License-Identifier: Apache-2.0
// Hard concrete: how often a gate is exactly 0 or 1, its values and its gradient.
#include <gtest/gtest.h>

#include "heed/attention/normalisers/stretched_gate.h"
#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(HardConcrete, IsAStretchedAndClippedSigmoidOfNoisyScores) {
  RowData<double> row{.scores = {0.5, -1, 2}};
  const auto p = weights_of(*normaliser("hard_concrete"), row);
  for (std::size_t i = 0; i < 3; ++i) {
    const double u = row.random.uniform(static_cast<std::int32_t>(i));
    const double noisy = (row.scores[i] + std::log(u / (1 - u))) / 0.33;
    EXPECT_NEAR(p[i], std::clamp(1.2 / (1 + std::exp(-noisy)) - 0.1, 0.0, 1.0), 1e-12);
  }
}

TEST(HardConcrete, IsZeroAndOneAsOftenAsTheClosedFormsSay) {
  constexpr int kRows = 20000;
  for (const char* temperature : {"0.33", "0.8"}) {
    const StretchedGate gate{.temperature = std::stod(temperature)};
    const auto part = normaliser("hard_concrete", {{"temperature", temperature}});
    for (const double score : {-1.5, 0.0, 0.7}) {
      double zeros = 0, ones = 0;
      for (std::uint64_t r = 0; r < kRows; ++r) {
        const double z = weights_of(*part, RowData<double>{.scores = {score}, .random = {6, r}})[0];
        zeros += z == 0 ? 1.0 / kRows : 0;
        ones += z == 1 ? 1.0 / kRows : 0;
      }
      const double p0 = gate.chance_of_zero(score), p1 = gate.chance_of_one(score);
      EXPECT_NEAR(zeros, p0, 5 * std::sqrt(p0 * (1 - p0) / kRows)) << score;
      EXPECT_NEAR(ones, p1, 5 * std::sqrt(p1 * (1 - p1) / kRows)) << score;
    }
  }
}

TEST(HardConcrete, PassesNothingBackWhereItIsClipped) {
  RowData<double> row{.scores = {40, -40, 0.1}, .random = {.likeliest = true}};
  const auto dz = gradients_of(*normaliser("hard_concrete"), row, {1, 1, 1}).scores;
  EXPECT_EQ(dz[0], 0);
  EXPECT_EQ(dz[1], 0);
  // 1.2 s (1 - s)/T at s = sigmoid(0.1/0.33).
  const double s = 1 / (1 + std::exp(-0.1 / 0.33));
  EXPECT_NEAR(dz[2], 1.2 * s * (1 - s) / 0.33, 1e-12);
}

TEST(HardConcrete, IsItsMedianWithoutNoise) {
  RowData<double> row{.scores = {0, 3, -3}, .random = {.likeliest = true}};
  expect_all_near(weights_of(*normaliser("hard_concrete"), row), {0.5, 1, 0}, 1e-15);
}

TEST(HardConcrete, TellsHowLikelyAGateIsOpen) {
  const auto part = normaliser("hard_concrete", {{"temperature", "0.5"}});
  const auto open = [&](double score) { return row_part(*part).open_chance(score).value(); };
  for (const double score : {-3.0, -.4, 0.0, 2.0}) {
    const double zero = 1 / (1 + std::exp(score - 0.5 * std::log(.1 / 1.1)));
    EXPECT_NEAR(open(score).value, 1 - zero, 1e-12);
    const double slope = (open(score + 1e-6).value - open(score - 1e-6).value) / 2e-6;
    EXPECT_NEAR(open(score).slope, slope, 1e-8);
  }
}

TEST(HardConcrete, RefusesATemperatureOfNothing) {
  EXPECT_THROW(normaliser("hard_concrete", {{"temperature", "0"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
