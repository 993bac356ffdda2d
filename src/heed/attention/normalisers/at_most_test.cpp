// SPDX-License-Identifier: Apache-2.0
// At most k keys: golden vectors, all choices of short rows, what other parts it becomes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/normalisers/structure_testing.h"

namespace heed::attention {
namespace {

std::unique_ptr<Normaliser> at_most(std::int64_t k) {
  return normaliser("at_most", {{"k", fmt::format("{}", k)}});
}

ChoiceScore at_most_score(std::int64_t k) {
  return [k](const std::vector<double>& scores, const Choice& z) {
    return std::count(z.begin(), z.end(), 1.0) <= k ? dot_of(scores, z) : kNoChoice;
  };
}

TEST(AtMost, AgreesWithTheGoldenVectors) {
  const nlohmann::json& expected = structured_golden().at("at_most_2");
  expect_golden_structure(*at_most(2), expected);
  const auto x = structured_golden().at("x").get<std::vector<double>>();
  EXPECT_NEAR(*at_most(2)->maximum(x), expected.at("log_partition"), 1e-12);
}

TEST(AtMost, IsTheSumOverAllChoices) {
  Random random(3);
  for (const std::size_t n : {1, 2, 3, 7, 10}) {
    for (const std::int64_t k : {1, 2, 3, 7}) {
      for (const double spread : {0.1, 1.0, 6.0}) {
        SCOPED_TRACE(fmt::format("{} of {} keys, spread {}", k, n, spread));
        expect_enumerated(*at_most(k), normal_scores(n, spread, random), at_most_score(k));
      }
    }
  }
}

TEST(AtMost, DrawsAsItsProbabilitiesSay) {
  expect_draws(*at_most(2), {0.5, -1, 0.8, 0.2, 0}, at_most_score(2));
}

TEST(AtMost, OfSoManyKeysIsSigmoid) {
  const std::vector<double> scores = {0.3, -40, 5, 0.1, 4};
  for (const std::int64_t k : {5, 8}) {
    expect_all_near(weights_of(*at_most(k), scores), weights_of(*normaliser("sigmoid"), scores),
                    1e-15);
  }
}

TEST(AtMost, AddsUpToNoMoreThanKAtAnyScale) {
  Random random(6);
  for (const double spread : {1e-5, 1.0, 1e4, 1e15, 1e30}) {
    double sum = 0;
    for (const double p : weights_of(*at_most(7), normal_scores(300, spread, random))) sum += p;
    EXPECT_LE(sum, 7 + 1e-11) << "spread " << spread;
    EXPECT_GT(sum, 6) << "spread " << spread;
  }
}

TEST(AtMost, TakesNothingBelowZeroAsItCools) {
  std::vector<double> best(4);
  RowData<double> data{.scores = {-1, 2, 0, 1}};
  row_part(*at_most(3)).structure()->best(data.row(), best);
  EXPECT_EQ(best, (Choice{0, 1, 0, 1}));
  expect_all_near(weights_of(*at_most(1), {-1e5, 2e5, -3, 1e5}), {0, 1, 0, 0}, 1e-12);
  expect_all_near(weights_of(*at_most(1), {-1e5, -2e5}), {0, 0}, 1e-12);
}

TEST(AtMost, RefusesToChooseNone) {
  EXPECT_THROW(at_most(0), UsageError);
}

}  // namespace
}  // namespace heed::attention
