// SPDX-License-Identifier: Apache-2.0
// Sinkhorn: golden values, shares of keys, what is absent, and the gradient beside a plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/table_structure_testing.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

TableData<double> four_by_four() {
  return {.queries = 4,
          .keys = 4,
          .scores = {0.31, -1.02, 0.57, 1.24, 0.83, -0.41, 1.49, -0.63, -0.22, 0.94, 0.13, 0.71,
                     1.13, 0.26, -0.74, -0.35}};
}

TEST(Sinkhorn, AgreesWithTheGoldenValuesOfThreeIterations) {
  const auto part = normaliser("sinkhorn", {{"iterations", "3"}});
  expect_all_near(matrix_weights(*part, four_by_four()),
                  {0.171597377854, 0.073528101605, 0.237561231696, 0.517313288845, 0.262441142855,
                   0.123044195118, 0.542019154242, 0.072495507786, 0.093478570789, 0.483112227699,
                   0.141600076591, 0.281809124920, 0.473026134760, 0.321072643639, 0.077822075810,
                   0.128079145791},
                  1e-11);
  expect_all_near(matrix_gradient(*part, four_by_four(),
                                  {0.5, -0.3, 0.2, 0.8, -0.6, 0.4, 1.0, -0.2, 0.1, 0.7, -0.9, 0.3,
                                   0.6, -0.5, 0.2, 0.4}),
                  {0.026780887221, -0.047423550203, -0.081347051717, 0.100497157220,
                   -0.234436055361, 0.013064122614, 0.275743955583, -0.054753968416,
                   -0.009594226030, 0.240127594737, -0.183964482994, -0.045998735213,
                   0.217249394170, -0.205768167149, -0.010432420873, 0.000255546410},
                  1e-11);
}

TEST(Sinkhorn, GivesEveryKeyTheSameShareInTheEnd) {
  const auto part = normaliser("sinkhorn", {{"iterations", "200"}});
  // Three queries over four keys: each key is read 3/4 of a time.
  TableData<double> table = four_by_four();
  table.queries = 3;
  table.scores.resize(12);
  const std::vector<double> p = matrix_weights(*part, table);
  for (std::size_t key = 0; key < 4; ++key) {
    EXPECT_NEAR(p[key] + p[4 + key] + p[8 + key], 0.75, 1e-12) << "key " << key;
  }
  for (std::size_t q = 0; q < 3; ++q) {
    EXPECT_NEAR(p[4 * q] + p[4 * q + 1] + p[4 * q + 2] + p[4 * q + 3], 1, 1e-15);
  }
}

// exp(z/T), then columns divided by their sums and rows by theirs, as the paper has it.
TEST(Sinkhorn, IsThePlainLoopOverExponentials) {
  const auto part = normaliser("sinkhorn", {{"iterations", "5"}, {"temperature", "0.7"}});
  const TableData<double> table = four_by_four();
  std::vector<double> p(16);
  std::ranges::transform(table.scores, p.begin(), [](double z) { return std::exp(z / 0.7); });
  for (int t = 0; t < 5; ++t) {
    for (const bool rows : {false, true}) {
      for (std::size_t a = 0; a < 4; ++a) {
        double sum = 0;
        for (std::size_t b = 0; b < 4; ++b) sum += p[rows ? 4 * a + b : 4 * b + a];
        for (std::size_t b = 0; b < 4; ++b) p[rows ? 4 * a + b : 4 * b + a] /= sum;
      }
    }
  }
  expect_all_near(matrix_weights(*part, table), p, 1e-14);
}

TEST(Sinkhorn, TakesAQueryWithoutKeysAndAKeyNobodySeesForAbsent) {
  const auto part = normaliser("sinkhorn");
  TableData<double> table = four_by_four();
  table.allowed.assign(16, true);
  for (std::size_t i = 0; i < 4; ++i) table.allowed[4 + i] = table.allowed[4 * i + 2] = false;
  const std::vector<double> p = matrix_weights(*part, table);
  const TableData<double> without = {
      .queries = 3, .keys = 3, .scores = {0.31, -1.02, 1.24, -0.22, 0.94, 0.71, 1.13, 0.26, -0.35}};
  const std::vector<double> q = matrix_weights(*part, without);
  expect_all_near(std::vector<double>{p[0], p[1], p[3], p[8], p[9], p[11], p[12], p[13], p[15]}, q,
                  1e-15);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(p[4 + i] == 0 && p[4 * i + 2] == 0);
}

TableData<double> three_by_four() {
  TableData<double> table = four_by_four();
  table.queries = 3;
  table.scores.resize(12);
  return table;
}
std::vector<double> upstream(std::size_t n) {
  std::vector<double> g = matrix_of(structured_golden().at("tree").at("g"));
  g.resize(n);
  return g;
}

TEST(Sinkhorn, AgreesWithTheGoldenLimit) {
  const nlohmann::json& expected = structured_golden().at("sinkhorn");
  const auto part = normaliser("sinkhorn", {{"iterations", "300"}});
  expect_all_near(matrix_weights(*part, four_by_four()), matrix_of(expected.at("limit")), 1e-12);
  expect_all_near(matrix_gradient(*part, four_by_four(), upstream(16)),
                  matrix_of(expected.at("limit_vjp")), 1e-10);
}

TEST(Sinkhorn, GivesNoKeyMoreThanOneQuery) {
  const nlohmann::json& expected = structured_golden().at("sinkhorn").at("columns_at_most_one");
  const auto part = normaliser("sinkhorn", {{"iterations", "300"}, {"columns", "at-most"}});
  TableData<double> table = three_by_four();
  for (std::size_t row = 0; row < 3; ++row) table.scores[4 * row + 3] += 1;
  expect_all_near(matrix_weights(*part, table), matrix_of(expected.at("p")), 1e-12);
  expect_all_near(matrix_gradient(*part, table, upstream(12)), matrix_of(expected.at("vjp")),
                  1e-10);
}

TEST(Sinkhorn, IsSoftmaxWhereNoKeyGetsMoreThanOne) {
  const auto part = normaliser("sinkhorn", {{"columns", "at-most"}});
  const TableData<double> one{.queries = 1, .keys = 4, .scores = {0.3, -1, 0.6, 1.2}};
  expect_all_near(matrix_weights(*part, one), weights_of(*normaliser("softmax"), one.scores),
                  1e-15);
}

// The gradient at the limit and through 400 iterations, which a table with one more key than
// queries takes where columns are bounded.
TEST(Sinkhorn, HasOneGradientByEquationsAndByIterations) {
  for (const std::int64_t keys : {3, 5}) {
    TableData<double> table{.queries = 4, .keys = keys, .scores = {}};
    table.scores = uneven(static_cast<std::size_t>(4 * keys), 1, 3);
    const std::vector<double> g = uneven(table.scores.size(), 1, 8);
    const auto limit = normaliser("sinkhorn", {{"iterations", "400"}});
    const std::vector<double> gradient = matrix_gradient(*limit, table, g);
    for (std::size_t i = 0; i < g.size(); ++i) {
      TableData<double> moved = table;
      double slope = 0;
      for (const double step : {1e-5, -1e-5}) {
        moved.scores[i] = table.scores[i] + step;
        const std::vector<double> p = matrix_weights(*limit, moved);
        for (std::size_t j = 0; j < g.size(); ++j) slope += p[j] * g[j] / (2 * step);
      }
      EXPECT_NEAR(gradient[i], slope, 1e-9);
    }
  }
}

// Two blocks that share no key, and scores so far apart that the weights are a matching.
TEST(Sinkhorn, HasAGradientWhereItsEquationsLeaveMoreOpen) {
  TableData<double> table = four_by_four();
  for (std::size_t i = 0; i < 16; ++i) table.allowed.push_back((i / 8 == 0) == (i % 4 < 2));
  const auto limit = normaliser("sinkhorn", {{"iterations", "200"}});
  const std::vector<double> gradient = matrix_gradient(*limit, table, upstream(16));
  for (const std::size_t first : {0, 10}) {  // each block alone
    TableData<double> block{.queries = 2, .keys = 2, .scores = {}};
    std::vector<double> g;
    for (const std::size_t i : {first, first + 1, first + 4, first + 5}) {
      block.scores.push_back(table.scores[i]);
      g.push_back(upstream(16)[i]);
    }
    const std::vector<double> alone = matrix_gradient(*limit, block, g);
    expect_all_near(std::vector<double>{gradient[first], gradient[first + 1], gradient[first + 4],
                                        gradient[first + 5]},
                    alone, 1e-11);
  }
  TableData<double> hard = four_by_four();
  for (double& score : hard.scores) score *= 200;
  for (const double slope : matrix_gradient(*limit, hard, upstream(16)))
    EXPECT_NEAR(slope, 0, 1e-6);
}

TEST(Sinkhorn, TellsItsDefect) {
  const auto defect = [](const char* iterations, const char* columns,
                         const TableData<double>& data) {
    const auto part = normaliser("sinkhorn", {{"iterations", iterations}, {"columns", columns}});
    return matrix_part(*part).defect(PackedTable<double>(data).table());
  };
  // One iteration by hand: the columns of its weights.
  const auto once = normaliser("sinkhorn", {{"iterations", "1"}});
  const std::vector<double> p = matrix_weights(*once, four_by_four());
  double expected = 0;
  for (std::size_t key = 0; key < 4; ++key) {
    expected = std::max(expected, std::abs(p[key] + p[4 + key] + p[8 + key] + p[12 + key] - 1));
  }
  EXPECT_NEAR(defect("1", "equal", four_by_four()), expected, 1e-15);
  EXPECT_GT(expected, 0.01);
  EXPECT_LT(defect("100", "equal", four_by_four()), 1e-14);
  TableData<double> wanted = three_by_four();
  for (std::size_t row = 0; row < 3; ++row) wanted.scores[4 * row + 3] += 3;
  EXPECT_GT(defect("1", "at-most", wanted), 0.01);
  EXPECT_LT(defect("400", "at-most", wanted), 1e-13);
  EXPECT_EQ(matrix_part(*normaliser("tree")).defect(PackedTable<double>(four_by_four()).table()),
            0);
}

TEST(Sinkhorn, ApproachesTheBestMatchingAsItCools) {
  for (const char* columns : {"equal", "at-most"}) {
    const auto cold = normaliser(
        "sinkhorn", {{"iterations", "3000"}, {"temperature", "0.01"}, {"columns", columns}});
    const std::vector<double> p = matrix_weights(*cold, four_by_four());
    const Choices keys = best_of(*cold, four_by_four());
    EXPECT_EQ(keys, (Choices{3, 2, 1, 0}));
    for (std::size_t q = 0; q < 4; ++q)
      EXPECT_NEAR(p[4 * q + static_cast<std::size_t>(keys[q])], 1, 1e-6);
  }
  EXPECT_EQ(best_of(*normaliser("sinkhorn"), three_by_four()), Choices{});
  EXPECT_EQ(best_of(*normaliser("sinkhorn", {{"columns", "at-most"}}), three_by_four()).size(), 3u);
}

// The maximum's slope is the weights, and with Omega it is never below a sum.
TEST(Sinkhorn, HasAMaximumWhoseSlopeAreItsWeights) {
  for (const char* columns : {"equal", "at-most"}) {
    const auto part = normaliser(
        "sinkhorn", {{"iterations", "500"}, {"temperature", "0.7"}, {"columns", columns}});
    TableData<double> table = three_by_four();
    for (std::size_t row = 0; row < 3; ++row) table.scores[4 * row + 3] += 1;
    const std::vector<double> p = matrix_weights(*part, table);
    const double maximum = maximum_of(*part, table);
    const auto omega = matrix_part(*part).table_regulariser(PackedTable<double>(table).table(), p);
    ASSERT_TRUE(omega);
    double inner = 0;
    for (std::size_t i = 0; i < 12; ++i) inner += p[i] * table.scores[i];
    EXPECT_NEAR(maximum, inner - *omega, 1e-12);
    for (std::size_t i = 0; i < 12; ++i) {
      TableData<double> above = table, below = table;
      above.scores[i] += 1e-5;
      below.scores[i] -= 1e-5;
      EXPECT_NEAR((maximum_of(*part, above) - maximum_of(*part, below)) / 2e-5, p[i], 1e-9);
    }
    EXPECT_FALSE(matrix_part(*part).table_regulariser(PackedTable<double>(table).table(),
                                                      std::vector<double>(12, 0.5)));
  }
}

TEST(Sinkhorn, TakesNoMoreQueriesThanKeysWhereColumnsAreBounded) {
  TableData<double> table = four_by_four();
  table.keys = 2;
  table.scores.resize(8);
  EXPECT_NE(message_of([&] {
              matrix_weights(*normaliser("sinkhorn", {{"columns", "at-most"}}), table);
            }).find("4 queries over 2 keys"),
            std::string::npos);
}

TEST(Sinkhorn, RefusesATemperatureOfZeroAndNoIteration) {
  EXPECT_THROW(normaliser("sinkhorn", {{"temperature", "0"}}), UsageError);
  EXPECT_THROW(normaliser("sinkhorn", {{"iterations", "0"}}), UsageError);
  EXPECT_THROW(normaliser("sinkhorn", {{"columns", "some"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
