// SPDX-License-Identifier: Apache-2.0
// Exactly k keys: golden vectors, all choices of short rows, what other parts it becomes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/normalisers/structure_testing.h"

namespace heed::attention {
namespace {

std::unique_ptr<Normaliser> exactly(std::int64_t k) {
  return normaliser("exactly", {{"k", fmt::format("{}", k)}});
}

ChoiceScore exactly_score(std::int64_t k) {
  return [k](const std::vector<double>& scores, const Choice& z) {
    const auto most = std::min(k, static_cast<std::int64_t>(z.size()));
    return std::count(z.begin(), z.end(), 1.0) == most ? dot_of(scores, z) : kNoChoice;
  };
}

TEST(Exactly, AgreesWithTheGoldenVectors) {
  const auto x = structured_golden().at("x").get<std::vector<double>>();
  for (const std::int64_t k : {2, 3}) {
    const nlohmann::json& expected = structured_golden().at(fmt::format("exactly_{}", k));
    expect_golden_structure(*exactly(k), expected);
    EXPECT_NEAR(*exactly(k)->maximum(x), expected.at("log_partition"), 1e-12);
  }
}

TEST(Exactly, IsTheSumOverAllChoices) {
  Random random(3);
  for (const std::size_t n : {1, 2, 3, 7, 10}) {
    for (const std::int64_t k : {1, 2, 3, 7}) {
      for (const double spread : {0.1, 1.0, 6.0}) {
        SCOPED_TRACE(fmt::format("{} of {} keys, spread {}", k, n, spread));
        expect_enumerated(*exactly(k), normal_scores(n, spread, random), exactly_score(k));
      }
    }
  }
}

TEST(Exactly, DrawsAsItsProbabilitiesSay) {
  expect_draws(*exactly(2), {0.5, -1, 0.8, 0.2, 0}, exactly_score(2));
}

TEST(Exactly, OfOneIsSoftmax) {
  const std::vector<double> scores = {0.3, -40, 5, 0.1, 4};
  expect_all_near(weights_of(*exactly(1), scores), weights_of(*normaliser("softmax"), scores),
                  1e-15);
}

TEST(Exactly, LeavesOutWhatTheOthersOfMinusTheScoresChoose) {
  Random random(8);
  std::vector<double> scores = normal_scores(9, 2, random);
  std::vector<double> p = weights_of(*exactly(3), scores);
  for (double& score : scores) score = -score;
  for (double& value : p) value = 1 - value;
  expect_all_near(weights_of(*exactly(6), scores), p, 1e-14);
}

TEST(Exactly, OfKKeysOrFewerIsOnesWithoutAGradient) {
  for (const std::vector<double>& scores : {std::vector<double>{3.0}, {3.0, -700.0}}) {
    for (const double p : weights_of(*exactly(2), scores)) EXPECT_EQ(p, 1);
    for (const double d : gradient_of(*exactly(2), scores, scores)) EXPECT_EQ(d, 0);
  }
}

TEST(Exactly, KeepsItsSumAtAnyScale) {
  Random random(6);
  for (const double spread : {1e-5, 1.0, 1e4, 1e15, 1e30}) {
    double sum = 0;
    for (const double p : weights_of(*exactly(7), normal_scores(300, spread, random))) sum += p;
    EXPECT_NEAR(sum, 7, 1e-11) << "spread " << spread;
  }
}

TEST(Exactly, TakesTheKBestAsItCoolsAndTheFirstOfEquals) {
  std::vector<double> best(5);
  RowData<double> data{.scores = {1, 2, 1, 3, 1}};
  row_part(*exactly(3)).structure()->best(data.row(), best);
  EXPECT_EQ(best, (Choice{1, 1, 0, 1, 0}));
  expect_all_near(weights_of(*exactly(2), {1e5, 2e5, 1e5, 3e5, 1e5}), {0, 1, 0, 1, 0}, 1e-12);
}

TEST(Exactly, RefusesMoreThanThereAreKeys) {
  EXPECT_THROW(exactly(4)->check(3), UsageError);
  EXPECT_NO_THROW(exactly(3)->check(3));
  EXPECT_THROW(exactly(0), UsageError);
}

}  // namespace
}  // namespace heed::attention
