// SPDX-License-Identifier: Apache-2.0
// Spans: golden vectors, all runs of short rows, large scores.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/normalisers/structure_testing.h"

namespace heed::attention {
namespace {

double span_score(const std::vector<double>& scores, const Choice& z) {
  int begins = z[0] == 1;
  for (std::size_t i = 1; i < z.size(); ++i) begins += z[i] > z[i - 1];
  return begins == 1 ? dot_of(scores, z) : kNoChoice;
}

TEST(Span, AgreesWithTheGoldenVectors) {
  const nlohmann::json& expected = structured_golden().at("span");
  expect_golden_structure(*normaliser("span"), expected);
  const auto x = structured_golden().at("x").get<std::vector<double>>();
  EXPECT_NEAR(*normaliser("span")->maximum(x), expected.at("log_partition"), 1e-12);
}

TEST(Span, IsTheSumOverAllRuns) {
  Random random(3);
  for (const std::size_t n : {1, 2, 3, 7, 10}) {
    for (const double spread : {0.1, 1.0, 6.0}) {
      SCOPED_TRACE(fmt::format("{} keys, spread {}", n, spread));
      expect_enumerated(*normaliser("span"), normal_scores(n, spread, random), span_score, 1e-12);
    }
  }
}

TEST(Span, DrawsAsItsProbabilitiesSay) {
  expect_draws(*normaliser("span"), {0.5, -1, 0.8, 0.2}, span_score);
}

TEST(Span, OfOneKeyIsOne) {
  EXPECT_EQ(weights_of(*normaliser("span"), {-3.0})[0], 1);
  EXPECT_EQ(gradient_of(*normaliser("span"), {-3.0}, {2.0})[0], 0);
}

TEST(Span, OfTwoKeysIsWrittenOut) {
  // Runs {1}, {2}, {1, 2}: e^1, e^2, e^3.
  const double sum = std::exp(1) + std::exp(2) + std::exp(3);
  expect_all_near(weights_of(*normaliser("span"), {1, 2}),
                  {(std::exp(1) + std::exp(3)) / sum, (std::exp(2) + std::exp(3)) / sum}, 1e-15);
}

TEST(Span, OfEqualRunsTheBestEndsFirstAndIsTheShortest) {
  RowData<double> data{.scores = {0, 0, 1, -1, 1}};
  std::vector<double> best(5);
  row_part(*normaliser("span")).structure()->best(data.row(), best);
  EXPECT_EQ(best, (Choice{0, 0, 1, 0, 0}));
}

TEST(Span, BecomesItsBestRunAsItCools) {
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> scores = normal_scores(12, 1, random), best(12);
    RowData<double> data{.scores = scores};
    row_part(*normaliser("span")).structure()->best(data.row(), best);
    for (const double scale : {1e5, 1e30}) {
      std::vector<double> cold = scores;
      for (double& score : cold) score *= scale;
      expect_all_near(weights_of(*normaliser("span"), cold), best, 1e-9);
    }
  }
}

TEST(Span, SkipsAKeyThatIsRuledOut) {
  const std::vector<double> p = weights_of(*normaliser("span"), {1, -INFINITY, 1});
  expect_all_near(p, {0.5, 0, 0.5}, 1e-15);
}

}  // namespace
}  // namespace heed::attention
