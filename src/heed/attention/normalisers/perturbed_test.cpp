// SPDX-License-Identifier: Apache-2.0
// Perturbed: how often keys win, and the means of both of its gradients.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

using Doubles = std::vector<double>;
const Doubles kNoisyScores = {0.5, -1.0, 2.0, 1.6, 0.0, 1.5};

// Mean and its standard error, key by key, of what `one` gives row by row.
void expect_mean(const Doubles& expected, int rows,
                 const std::function<Doubles(RowData<double>)>& one) {
  Doubles sum(6, 0.0), squares(6, 0.0);
  for (int r = 0; r < rows; ++r) {
    const Doubles found =
        one({.scores = kNoisyScores, .random = {21, static_cast<std::uint64_t>(r)}});
    for (std::size_t i = 0; i < 6; ++i) {
      sum[i] += found[i] / rows;
      squares[i] += found[i] * found[i] / rows;
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    const double error = std::sqrt((squares[i] - sum[i] * sum[i]) / rows);
    EXPECT_NEAR(sum[i], expected[i], 5 * error + 1e-12) << "key " << i;
  }
}

TEST(Perturbed, ByGumbelNoiseIsADrawFromSoftmax) {
  const auto part = normaliser("perturbed", {{"strength", "0.5"}});
  const auto soft = normaliser("softmax", {{"temperature", "0.5"}});
  expect_mean(weights_of(*soft, kNoisyScores), 20000,
              [&](const RowData<double>& row) { return weights_of(*part, row); });
}

TEST(Perturbed, ByNormalNoiseComparesTwoKeysAsTheNormalDistributionDoes) {
  // P(z1 + Z1 > z2 + Z2) = Phi((z1 - z2)/sqrt 2), which is 0.7602 for a difference of 1.
  const auto part = normaliser("perturbed", {{"noise", "normal"}});
  double wins = 0;
  constexpr int kRows = 20000;
  for (std::uint64_t r = 0; r < kRows; ++r) {
    wins += weights_of(*part, RowData<double>{.scores = {1, 0}, .random = {4, r}})[0] / kRows;
  }
  EXPECT_NEAR(wins, 0.7602, 0.015);
}

TEST(Perturbed, MeansOfSeveralChoicesAreDividedWeights) {
  const auto part = normaliser("perturbed", {{"samples", "4"}});
  bool divided = false;
  expect_mean(weights_of(*normaliser("softmax"), kNoisyScores), 5000,
              [&](const RowData<double>& row) {
                Doubles p = weights_of(*part, row);
                for (const double weight : p) {
                  EXPECT_EQ(weight * 4, std::round(weight * 4));
                  divided = divided || (weight > 0 && weight < 1);
                }
                return p;
              });
  EXPECT_TRUE(divided);
}

// For a linear loss c.w and Gumbel noise the mean is (softmax(z) - softmax(z - λc))/λ.
TEST(Perturbed, ImleOfALinearLossIsADifferenceOfSoftmaxesOnAverage) {
  const Doubles c = {0.3, -0.7, 1.1, -0.2, 0.9, 0.4};
  for (const double lambda : {0.5, 2.0}) {
    const auto part = normaliser("perturbed", {{"lambda", fmt::format("{}", lambda)}});
    const auto soft = normaliser("softmax");
    Doubles moved = kNoisyScores;
    for (std::size_t i = 0; i < 6; ++i) moved[i] -= lambda * c[i];
    const Doubles p = weights_of(*soft, kNoisyScores), q = weights_of(*soft, moved);
    Doubles expected(6);
    for (std::size_t i = 0; i < 6; ++i) expected[i] = (p[i] - q[i]) / lambda;
    expect_mean(expected, 20000,
                [&](const RowData<double>& row) { return gradients_of(*part, row, c).scores; });
  }
}

// E[c_k d log p] is the gradient of E[c_k] = c.softmax(z/σ), by either noise's own objective.
TEST(Perturbed, ScoreTimesTheLossIsTheGradientOfItsMeanOnAverage) {
  const Doubles c = {0.3, -0.7, 1.1, -0.2, 0.9, 0.4};
  const auto part = normaliser("perturbed", {{"strength", "0.5"}, {"gradient", "score"}});
  const auto soft = normaliser("softmax", {{"temperature", "0.5"}});
  ASSERT_TRUE(row_part(*part).draws());
  expect_mean(gradient_of(*soft, kNoisyScores, c), 40000, [&](RowData<double> row) {
    const Doubles z = weights_of(*part, row), none(6, 0.0);
    const double loss = std::inner_product(z.begin(), z.end(), c.begin(), 0.0);
    Doubles dz(6);
    row_part(*part).backward(row.row(), z, {.weights = none, .log_probability = loss},
                             {.scores = dz});
    return dz;
  });
}

TEST(Perturbed, SaysTheDensityOfItsNoise) {
  RowData<double> row{.scores = {1, 0}};
  for (const char* noise : {"gumbel", "normal"}) {
    const auto part =
        normaliser("perturbed", {{"gradient", "score"}, {"noise", noise}, {"strength", "0.5"}});
    const Doubles z = weights_of(*part, row), none(2, 0.0);
    Doubles dz(2);
    row_part(*part).backward(row.row(), z, {.weights = none, .log_probability = 1}, {.scores = dz});
    // The noise Z of each key, by the slope it gives: (1 - exp(-Z))/σ or Z/σ.
    double expected = 0;
    for (const double slope : dz) {
      const double y = noise == std::string("gumbel") ? -std::log(1 - 0.5 * slope) : 0.5 * slope;
      expected += noise == std::string("gumbel")
                      ? -y - std::exp(-y) - std::log(0.5)
                      : -y * y / 2 - std::log(2 * std::numbers::pi) / 2 - std::log(0.5);
    }
    EXPECT_NEAR(row_part(*part).draw(row.row(), z).log_probability, expected, 1e-9) << noise;
  }
}

TEST(Perturbed, TakesTheBestWithoutNoise) {
  for (const char* noise : {"gumbel", "normal"}) {
    RowData<double> row{.scores = {1, 5, 5}, .random = {.likeliest = true}};
    EXPECT_EQ(weights_of(*normaliser("perturbed", {{"noise", noise}, {"samples", "3"}}), row),
              (Doubles{0, 1, 0}));
  }
}

TEST(Perturbed, RefusesStepsAndNoiseItDoesNotHave) {
  EXPECT_THROW(normaliser("perturbed", {{"strength", "0"}}), UsageError);
  EXPECT_THROW(normaliser("perturbed", {{"lambda", "-1"}}), UsageError);
  EXPECT_THROW(normaliser("perturbed", {{"samples", "0"}}), UsageError);
  EXPECT_THROW(normaliser("perturbed", {{"noise", "cauchy"}}), UsageError);
  EXPECT_THROW(normaliser("perturbed", {{"gradient", "exact"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
