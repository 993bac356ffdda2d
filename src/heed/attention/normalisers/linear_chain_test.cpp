// SPDX-License-Identifier: Apache-2.0
// Linear chains: golden vectors, all choices of short rows, long rows and large scores.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/normalisers/structure_testing.h"

namespace heed::attention {
namespace {

ChoiceScore chain_score(double coupling, double change) {
  return [=](const std::vector<double>& scores, const Choice& z) {
    double sum = dot_of(scores, z);
    for (std::size_t i = 1; i < z.size(); ++i) {
      sum += coupling * z[i - 1] * z[i] - change * (z[i - 1] != z[i] ? 1 : 0);
    }
    return sum;
  };
}

std::unique_ptr<Normaliser> chain(double coupling, double change) {
  return normaliser("linear_chain", {{"coupling", fmt::format("{:.17g}", coupling)},
                                     {"switch", fmt::format("{:.17g}", change)}});
}

TEST(LinearChain, AgreesWithTheGoldenVectors) {
  const auto x = structured_golden().at("x").get<std::vector<double>>();
  const auto g = structured_golden().at("g").get<std::vector<double>>();
  for (const nlohmann::json& expected : structured_golden().at("linear_chain")) {
    const double coupling = expected.at("coupling"), change = expected.at("switch");
    SCOPED_TRACE(fmt::format("coupling {}, switch {}", coupling, change));
    const auto part = chain(coupling, change);
    expect_golden_structure(*part, expected);
    EXPECT_NEAR(*part->maximum(x), expected.at("log_partition"), 1e-12);
    RowData<double> data{.scores = x, .parameters = {coupling, change}};
    const RowStructure* structure = row_part(*part).structure();
    EXPECT_NEAR(structure->entropy(data.row()), expected.at("entropy"), 1e-12);
    std::vector<double> best(x.size());
    structure->best(data.row(), best);
    EXPECT_EQ(best, expected.at("map").get<std::vector<double>>());
    expect_all_near(gradients_of(*part, data, g).parameters,
                    {expected.at("d_coupling"), expected.at("d_switch")}, 1e-12);
  }
}

TEST(LinearChain, IsTheSumOverAllChoices) {
  Random random(3);
  for (const std::size_t n : {1, 2, 3, 6, 9}) {
    for (const double coupling : {0.0, 1.0, -1.5, 4.0}) {
      for (const double change : {0.0, 0.8, -0.6}) {
        SCOPED_TRACE(fmt::format("{} keys, coupling {}, switch {}", n, coupling, change));
        expect_enumerated(*chain(coupling, change), normal_scores(n, 2, random),
                          chain_score(coupling, change));
      }
    }
  }
}

TEST(LinearChain, DrawsAsItsProbabilitiesSay) {
  expect_draws(*chain(0.7, 0.4), {0.5, -1, 0.3, 0.2}, chain_score(0.7, 0.4));
}

TEST(LinearChain, WithoutCouplingIsSigmoid) {
  const std::vector<double> scores = {0.3, -40, 5, 0.1, 700};
  expect_all_near(weights_of(*chain(0, 0), scores), weights_of(*normaliser("sigmoid"), scores),
                  1e-15);
}

TEST(LinearChain, ChoosesTheFirstOfEqualsInLexicographicOrder) {
  RowData<double> data{.scores = {0, 0, 0}};
  std::vector<double> best(3);
  row_part(*chain(0, 0)).structure()->best(data.row(), best);
  EXPECT_EQ(best, (Choice{0, 0, 0}));
  // 1 0 1, 0 1 0 and others score the same: two neighbours cost as much as a key gives.
  data.scores = {1, 1, 1};
  row_part(*chain(-1, 0)).structure()->best(data.row(), best);
  EXPECT_EQ(best, (Choice{1, 0, 1}));
  data.scores = {1, 1};
  best.resize(2);
  row_part(*chain(-1, 0)).structure()->best(data.row(), best);
  EXPECT_EQ(best, (Choice{0, 1}));
}

TEST(LinearChain, BecomesItsBestChoiceAsItCools) {
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> scores = normal_scores(12, 1, random), best(12);
    RowData<double> data{.scores = scores};
    row_part(*chain(1, 0)).structure()->best(data.row(), best);
    for (double& score : scores) score *= 1e5;
    expect_all_near(weights_of(*chain(1e5, 0), scores), best, 1e-9);
  }
}

TEST(LinearChain, KeepsWhatANeighbourAddsBesideScoresOfAnySize) {
  // Beside a certain key, a key has the coupling in its log-odds; beside an impossible one, not.
  for (const double size : {1e4, 1e17, 1e30, HUGE_VAL}) {
    const std::vector<double> p = weights_of(*chain(1, 0), {0, size, 0, -size, 0});
    expect_all_near(p, {1 / (1 + std::exp(-1)), 1, 1 / (1 + std::exp(-1)), 0, 0.5}, 1e-15);
  }
}

TEST(LinearChain, OfTwoThousandKeysStaysFiniteAtTenThousand) {
  Random random(7);
  const std::vector<double> scores = normal_scores(2000, 1e4, random), g(2000, 1.0);
  for (const double p : weights_of(*chain(1, 0), scores)) {
    EXPECT_TRUE(p >= 0 && p <= 1);
  }
  for (const double d : gradient_of(*chain(1, 0), scores, g)) EXPECT_TRUE(std::isfinite(d));
}

TEST(LinearChain, InFloatAgreesWithDoubleAtThreeThousandKeys) {
  Random random(9);
  const std::vector<double> wide = normal_scores(3000, 1, random);
  const RowData<float> narrow{.scores = std::vector<float>(wide.begin(), wide.end())};
  const std::vector<double> same(narrow.scores.begin(), narrow.scores.end());
  expect_all_near(weights_of(*chain(1, 0), narrow), weights_of(*chain(1, 0), same), 1e-7);
}

TEST(LinearChain, AveragesToOneHoweverUnlikelyItsKeysAre) {
  const auto part = normaliser("linear_chain", {{"average", "true"}});
  for (const double shift : {0.0, -50.0, -900.0}) {
    const std::vector<double> p = weights_of(*part, {0.5 + shift, shift, 1 + shift});
    EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-14);
    EXPECT_GT(p[2], p[0]);
  }
  const std::vector<double> mu = weights_of(*chain(1, 0), {0.5, -0.3, 1});
  const double sum = mu[0] + mu[1] + mu[2];
  expect_all_near(weights_of(*part, {0.5, -0.3, 1}), {mu[0] / sum, mu[1] / sum, mu[2] / sum},
                  1e-15);
}

TEST(LinearChain, HasASymmetricJacobian) {
  Random random(4);
  const std::vector<double> scores = normal_scores(7, 1, random);
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < 7; ++i) {
    std::vector<double> unit(7, 0.0);
    unit[i] = 1;
    rows.push_back(gradient_of(*chain(1.3, 0.2), scores, unit));
  }
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NEAR(rows[i][j], rows[j][i], 1e-14);
  }
}

// Of log-probability and entropy, against differences.
TEST(LinearChain, HasGradientsForWhatItLearns) {
  const auto part = normaliser("linear_chain", {{"learnable", "true"}});
  const RowStructure* structure = row_part(*part).structure();
  RowData<double> data{.scores = {0.4, -1.1, 0.9, 0.2, -0.3}, .parameters = {0.8, -0.35}};
  const Choice z = {1, 1, 0, 1, 0};
  std::vector<double> d_scores(5), d_log(2, 0.0), d_entropy(2, 0.0);
  structure->log_probability_backward(data.row(), z, 1, {.scores = d_scores, .parameters = d_log});
  structure->entropy_backward(data.row(), 1, {.scores = d_scores, .parameters = d_entropy});
  for (std::size_t i = 0; i < 2; ++i) {
    const double before = data.parameters[i], step = 1e-6;
    data.parameters[i] = before + step;
    const double log_above = structure->log_probability(data.row(), z);
    const double above = structure->entropy(data.row());
    data.parameters[i] = before - step;
    const double log_below = structure->log_probability(data.row(), z);
    const double below = structure->entropy(data.row());
    data.parameters[i] = before;
    EXPECT_NEAR(d_log[i], (log_above - log_below) / (2 * step), 1e-9);
    EXPECT_NEAR(d_entropy[i], (above - below) / (2 * step), 1e-9);
  }
}

TEST(LinearChain, StartsToLearnFromItsOptions) {
  const auto part =
      normaliser("linear_chain", {{"learnable", "true"}, {"coupling", "2.5"}, {"switch", "-0.5"}});
  Random random(1);
  part->build({.heads = 2}, random);
  EXPECT_EQ(part->parameters().value().values(), (std::vector<Real>{2.5, -0.5, 2.5, -0.5}));
  EXPECT_FALSE(part->maximum(std::vector<double>{1.0}).has_value());
}

TEST(LinearChain, OfManyRowsIsThatOfEachRow) {
  Random random(12);
  const std::size_t rows = 37, n = 30;
  const std::vector<double> scores = normal_scores(rows * n, 2, random);
  const std::vector<double> g = normal_scores(rows * n, 1, random);
  const auto part = chain(1.2, 0.3);
  std::vector<double> weights(rows * n), gradient(rows * n);
  const Matrix<double> matrix{scores.data(), rows, n};
  ASSERT_TRUE(row_part(*part).forward_rows(matrix, weights.data()));
  ASSERT_TRUE(row_part(*part).backward_rows(matrix, weights.data(), g.data(), gradient.data()));
  for (std::size_t r = 0; r < rows; ++r) {
    const auto slice = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(r * n),
                                 all.begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
    };
    expect_all_near(slice(weights), weights_of(*part, slice(scores)), 1e-13);
    expect_all_near(slice(gradient), gradient_of(*part, slice(scores), slice(g)), 1e-13);
  }
  EXPECT_FALSE(row_part(*chain(50, 0)).forward_rows(matrix, weights.data()));
  EXPECT_FALSE(row_part(*normaliser("linear_chain", {{"average", "true"}}))
                   .forward_rows(matrix, weights.data()));
}

TEST(LinearChain, OfANaNIsNaN) {
  for (const double p : weights_of(*chain(1, 0), {1, NAN, 2})) EXPECT_TRUE(std::isnan(p));
}

}  // namespace
}  // namespace heed::attention
