// SPDX-License-Identifier: Apache-2.0
// Gumbel top-k: how often keys are drawn, the log-probability of their order, and its gradients.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "heed/attention/testing.h"
#include "heed/base/testing.h"

namespace heed::attention {
namespace {

const std::vector<double> kTopkScores = {0.5, -1.0, 2.0, 1.6, 0.0, 1.5};

TEST(GumbelTopk, DrawsKeysAsOftenAsDrawingWithoutReplacementDoes) {
  const auto part = normaliser("gumbel_topk");
  const auto expected =
      structured_golden().at("plackett_luce_2").at("inclusion").get<std::vector<double>>();
  std::vector<double> share(6, 0.0);
  constexpr int kRows = 40000;
  for (std::uint64_t r = 0; r < kRows; ++r) {
    const auto z = weights_of(*part, RowData<double>{.scores = kTopkScores, .random = {9, r}});
    EXPECT_EQ(std::accumulate(z.begin(), z.end(), 0.0), 2);
    for (std::size_t i = 0; i < 6; ++i) share[i] += z[i] / kRows;
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(share[i], expected[i], 5 * std::sqrt(expected[i] * (1 - expected[i]) / kRows));
  }
}

// The order of keys 2 and 5 has the golden log-probability, either order together that of the set;
// all orders that are ever drawn add up to 1 and have the entropy that the draws say on average.
TEST(GumbelTopk, SaysTheLogProbabilityOfTheOrder) {
  const auto part = normaliser("gumbel_topk", {{"gradient", "score"}});
  const auto& golden = structured_golden().at("plackett_luce_2");
  std::map<std::array<std::size_t, 2>, double> seen;
  double said_entropy = 0;
  constexpr int kRows = 20000;
  for (std::uint64_t r = 0; r < kRows; ++r) {
    RowData<double> row{.scores = kTopkScores, .random = {9, r}};
    const auto z = weights_of(*part, row);
    std::array<std::size_t, 2> order{};
    double best = -1e9;
    for (std::size_t pick = 0, n = 0; pick < 6; ++pick) {
      if (z[pick] == 0) continue;
      const double u = row.random.uniform(static_cast<std::int32_t>(pick));
      const double noisy = kTopkScores[pick] - std::log(-std::log(u));
      if (n++ == 0) {
        order[0] = pick;
        best = noisy;
      } else {
        order[1] = pick;
        if (noisy > best) std::swap(order[0], order[1]);
      }
    }
    const auto value = row_part(*part).draw(row.row(), z);
    seen[order] = value.log_probability;
    said_entropy += value.entropy / kRows;
  }
  EXPECT_NEAR((seen.at({2, 5})), golden.at("log_probability_of_keys_2_then_5").get<double>(),
              1e-12);
  EXPECT_NEAR(std::log(std::exp(seen.at({2, 5})) + std::exp(seen.at({5, 2}))),
              golden.at("log_probability_of_set_2_5").get<double>(), 1e-12);
  double total = 0, entropy = 0;
  for (const auto& [order, log_p] : seen) {
    total += std::exp(log_p);
    entropy -= std::exp(log_p) * log_p;
  }
  EXPECT_EQ(seen.size(), 30u) << "every order of two of six keys";
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_NEAR(said_entropy, entropy, 0.02);
}

TEST(GumbelTopk, GradientsOfLogProbabilityAndEntropyAreThoseOfFiniteDifferences) {
  const auto part = normaliser("gumbel_topk", {{"k", "3"}, {"gradient", "score"}});
  RowData<double> row{.scores = kTopkScores};
  const auto z = weights_of(*part, row);
  const std::vector<double> none(6, 0.0);
  std::vector<double> dz(6);
  row_part(*part).backward(row.row(), z, {.weights = none, .log_probability = 0.7, .entropy = -1.3},
                           {.scores = dz});
  for (std::size_t i = 0; i < 6; ++i) {
    const double before = row.scores[i], step = 1e-6;
    const auto objective = [&](double moved) {
      row.scores[i] = moved;
      const auto value = row_part(*part).draw(row.row(), z);
      return 0.7 * value.log_probability - 1.3 * value.entropy;
    };
    EXPECT_NEAR(dz[i], (objective(before + step) - objective(before - step)) / (2 * step), 1e-8);
    row.scores[i] = before;
  }
}

TEST(GumbelTopk, HardHasTheGradientOfTheRelaxedChoice) {
  const std::vector<double> g = {0.3, -0.7, 1.1, -0.2, 0.9, 0.4};
  RowData<double> row{.scores = kTopkScores};
  const auto hard = gradients_of(*normaliser("gumbel_topk"), row, g).scores;
  EXPECT_EQ(hard, gradients_of(*normaliser("gumbel_topk", {{"hard", "false"}}), row, g).scores);
  row.random.likeliest = true;
  expect_all_near(gradients_of(*normaliser("gumbel_topk"), row, g).scores,
                  structured_golden().at("relaxed_topk_2").at("vjp_T1").get<std::vector<double>>(),
                  1e-11);
}

TEST(GumbelTopk, LearnsByItsScoreOrByTheRelaxedChoiceButNotByBoth) {
  EXPECT_FALSE(row_part(*normaliser("gumbel_topk")).draws());
  const auto part = normaliser("gumbel_topk", {{"gradient", "score"}});
  EXPECT_TRUE(row_part(*part).draws());
  RowData<double> row{.scores = kTopkScores};
  EXPECT_EQ(gradients_of(*part, row, std::vector<double>(6, 1.0)).scores,
            std::vector<double>(6, 0.0));
  const auto both = normaliser("gumbel_topk", {{"gradient", "score"}, {"hard", "false"}});
  EXPECT_NE(
      heed::test::message_of<UsageError>([&] { both->check(6); }).find("leave gradient=score"),
      std::string::npos);
}

TEST(GumbelTopk, TakesTheBestWithoutNoise) {
  RowData<double> row{.scores = {1, 5, 5, 5, 0}, .random = {.likeliest = true}};
  EXPECT_EQ(weights_of(*normaliser("gumbel_topk"), row), (std::vector<double>{0, 1, 1, 0, 0}));
}

TEST(GumbelTopk, GivesAllKeysAllWeightWhereThereAreNoMoreThanK) {
  for (const std::size_t n : {1, 2, 3}) {
    const auto part = normaliser("gumbel_topk", {{"k", "3"}});
    RowData<double> row{.scores = std::vector<double>(n, 0.4)};
    const auto p = weights_of(*part, row);
    EXPECT_EQ(p, std::vector<double>(n, 1.0));
    EXPECT_EQ(gradients_of(*part, row, std::vector<double>(n, 2.0)).scores,
              std::vector<double>(n, 0.0));
    EXPECT_EQ(row_part(*part).draw(row.row(), p).log_probability, 0);
  }
}

TEST(GumbelTopk, RefusesMoreKeysThanThereAre) {
  const auto part = normaliser("gumbel_topk", {{"k", "3"}});
  EXPECT_EQ(heed::test::message_of<UsageError>([&] { part->check(2); }),
            "gumbel_topk: k is 3, but there are 2 keys; k may be at most the keys");
  EXPECT_THROW(normaliser("gumbel_topk", {{"k", "0"}}), UsageError);
  EXPECT_THROW(normaliser("gumbel_topk", {{"temperature", "0"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
