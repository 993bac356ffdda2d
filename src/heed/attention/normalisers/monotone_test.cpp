// SPDX-License-Identifier: Apache-2.0
// Monotone: golden values, every path listed, and what leaves no path.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/attention/normalisers/best_path.h"
#include "heed/attention/table_structure_testing.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

std::unique_ptr<Normaliser> monotone(const PathSteps& steps, bool filter = false) {
  return normaliser("monotone", {{"filter", filter ? "true" : "false"},
                                 {"strict", steps.strict ? "true" : "false"},
                                 {"jump", std::to_string(steps.jump)}});
}
const PathSteps kSteps[] = {{false, 0}, {true, 0}, {false, 1}, {false, 2}, {true, 2}};

TableData<double> uneven_table(std::int64_t queries, std::int64_t keys, double spread, int seed = 1,
                               double step = 0) {
  return {.queries = queries,
          .keys = keys,
          .scores = uneven(static_cast<std::size_t>(queries * keys), spread, seed, step)};
}
std::vector<Choices> paths(const TableData<double>& data, const PathSteps& steps) {
  return structures_of(data, [&](const Choices& path) { return is_path(path, steps); });
}

TEST(Monotone, AgreesWithTheGoldenValues) {
  const nlohmann::json& all = structured_golden();
  TableData<double> data{.queries = 3, .keys = 4, .scores = matrix_of(all.at("tree").at("s"))};
  std::vector<double> g = matrix_of(all.at("tree").at("g"));
  data.scores.resize(12);
  g.resize(12);
  const nlohmann::json& expected = all.at("monotone");
  expect_all_near(matrix_weights(*monotone({}), data), matrix_of(expected.at("p")), 1e-12);
  expect_all_near(matrix_gradient(*monotone({}), data, g), matrix_of(expected.at("vjp")), 1e-12);
  EXPECT_NEAR(maximum_of(*monotone({}), data), expected.at("log_partition").get<double>(), 1e-12);
  expect_all_near(matrix_weights(*monotone({}, true), data), matrix_of(expected.at("filtered")),
                  1e-12);
  expect_all_near(matrix_gradient(*monotone({}, true), data, g),
                  matrix_of(expected.at("filtered_vjp")), 1e-12);
}

TEST(Monotone, IsTheSumOverAllPathsAtAnySpread) {
  for (const PathSteps& steps : kSteps) {
    for (const std::int64_t queries : {1, 2, 4}) {
      for (const double spread : {1e-5, 1.0, 20.0, 1e4}) {
        SCOPED_TRACE(::testing::Message() << steps.strict << steps.jump << ", " << queries
                                          << " queries, spread " << spread);
        const TableData<double> data = uneven_table(queries, 5, spread);
        const std::vector<double> g = uneven(data.scores.size(), 1, 7);
        const EnumeratedTables all = enumerated(data, paths(data, steps), g);
        const double tolerance = spread > 100 ? 1e-10 : 1e-13;
        expect_all_near(matrix_weights(*monotone(steps), data), all.weights, tolerance);
        expect_all_near(matrix_gradient(*monotone(steps), data, g), all.gradient, tolerance);
        EXPECT_NEAR(maximum_of(*monotone(steps), data), all.log_sum,
                    1e-14 * std::max(100.0, spread));
        EXPECT_EQ(best_of(*monotone(steps), data), all.best);
      }
    }
  }
}

TEST(Monotone, FilteredWeighsEachQueryByTheBeginningsUpToIt) {
  for (const PathSteps& steps : kSteps) {
    for (const double spread : {1.0, 20.0, 1e4}) {
      SCOPED_TRACE(::testing::Message() << steps.strict << steps.jump << ", spread " << spread);
      const TableData<double> data = uneven_table(4, 6, spread);
      const auto part = monotone(steps, true);
      const std::vector<double> p = matrix_weights(*part, data);
      const std::vector<double> g = uneven(24, 1, 7);
      std::vector<double> expected(24, 0.0);
      for (std::int64_t rows = 1; rows <= 4; ++rows) {
        TableData<double> beginning = data;
        beginning.queries = rows;
        const auto cells = static_cast<std::size_t>(rows * 6);
        beginning.scores.resize(cells);
        // Only the weights of its last row count.
        std::vector<double> mine(cells, 0.0);
        std::copy_n(g.begin() + static_cast<std::ptrdiff_t>(cells) - 6, 6, mine.end() - 6);
        const EnumeratedTables all = enumerated(beginning, paths(beginning, steps), mine);
        for (std::size_t j = cells - 6; j < cells; ++j) {
          EXPECT_NEAR(p[j], all.weights[j], spread > 100 ? 1e-10 : 1e-13);
        }
        for (std::size_t i = 0; i < cells; ++i) expected[i] += all.gradient[i];
      }
      expect_all_near(matrix_gradient(*part, data, g), expected, spread > 100 ? 1e-10 : 1e-13);
    }
  }
}

TEST(Monotone, FindsTheFirstOfTheBestPathsWhenScoresTie) {
  for (const PathSteps& steps : kSteps) {
    for (int seed = 0; seed < 12; ++seed) {
      const TableData<double> data = uneven_table(4, 5, 1.5, seed, 1);
      const std::vector<double> g(20);
      EXPECT_EQ(best_of(*monotone(steps), data), enumerated(data, paths(data, steps), g).best);
    }
  }
}

TEST(Monotone, IsSoftmaxForOneQuery) {
  const TableData<double> data = uneven_table(1, 6, 2);
  for (const bool filter : {false, true}) {
    expect_all_near(matrix_weights(*monotone({}, filter), data),
                    weights_of(*normaliser("softmax"), data.scores), 1e-15);
  }
}

TEST(Monotone, LooksTheOtherWayWhenBothAxesAreReversed) {
  for (const PathSteps& steps : kSteps) {
    TableData<double> data = uneven_table(4, 6, 2);
    std::vector<double> p = matrix_weights(*monotone(steps), data);
    std::ranges::reverse(data.scores);
    std::ranges::reverse(p);
    expect_all_near(matrix_weights(*monotone(steps), data), p, 1e-14);
  }
}

TEST(Monotone, UsesNoForbiddenCell) {
  for (const PathSteps& steps : kSteps) {
    TableData<double> data = uneven_table(4, 7, 2);
    for (std::size_t i = 0; i < 28; ++i) data.allowed.push_back(i % 5 != 3);
    const std::vector<double> g = uneven(28, 1, 7);
    const EnumeratedTables all = enumerated(data, paths(data, steps), g);
    expect_all_near(matrix_weights(*monotone(steps), data), all.weights, 1e-14);
    expect_all_near(matrix_gradient(*monotone(steps), data, g), all.gradient, 1e-14);
    EXPECT_EQ(best_of(*monotone(steps), data), all.best);
  }
}

// The last query may see only the first keys, from which all others want to be far away.
TEST(Monotone, FindsItsWayThroughCellsThatNobodyWants) {
  TableData<double> data{.queries = 6, .keys = 8, .scores = {}};
  for (std::int64_t i = 0; i < 48; ++i) {
    data.scores.push_back(500.0 * static_cast<double>(i % 8) + std::sin(static_cast<double>(i)));
    data.allowed.push_back(i < 40 || i % 8 < 2);
  }
  const std::vector<double> g = uneven(48, 1, 7);
  const EnumeratedTables all = enumerated(data, paths(data, {}), g);
  expect_all_near(matrix_weights(*monotone({}), data), all.weights, 1e-11);
  expect_all_near(matrix_gradient(*monotone({}), data, g), all.gradient, 1e-11);
  // Filtered, nothing of this is known before the last query.
  const std::vector<double> filtered = matrix_weights(*monotone({}, true), data);
  EXPECT_NEAR(filtered[39], 1, 1e-12);
  EXPECT_NEAR(filtered[40] + filtered[41], 1, 1e-12);
}

TEST(Monotone, TakesLongTables) {
  const TableData<double> data = uneven_table(600, 700, 3);
  const std::vector<double> p = matrix_weights(*monotone({}), data);
  for (std::size_t row = 0; row < 600; ++row) {
    const auto begin = p.begin() + static_cast<std::ptrdiff_t>(row * 700);
    EXPECT_NEAR(std::accumulate(begin, begin + 700, 0.0), 1, 1e-12);
  }
  // Paths over zeros: 1299 over 600.
  const double log_count = std::lgamma(1300) - std::lgamma(601) - std::lgamma(700);
  EXPECT_NEAR(maximum_of(*monotone({}), uneven_table(600, 700, 0)), log_count, 1e-9);
}

TEST(Monotone, SaysWhichQueryNoPathReaches) {
  TableData<double> data = uneven_table(3, 3, 1);
  data.allowed = {false, true, true, true, false, false, true, true, true};
  for (const bool filter : {false, true}) {
    const auto part = monotone({}, filter);
    EXPECT_EQ(message_of([&] { matrix_weights(*part, data); }),
              "monotone: query 1 may see no key to which those before it could move on");
    EXPECT_THROW(matrix_gradient(*part, data, data.scores), UsageError);
  }
  EXPECT_THROW(best_of(*monotone({}), data), UsageError);
  EXPECT_NE(message_of([] {
              matrix_weights(*monotone({true, 0}), uneven_table(4, 3, 1));
            }).find("4 queries over 3 keys"),
            std::string::npos);
}

TEST(Monotone, KnowsItsPathsOnly) {
  const TableData<double> data = uneven_table(2, 3, 1);
  const PackedTable<double> packed(data);
  const auto omega = [&](const PathSteps& steps, const std::vector<double>& weights) {
    const auto part = monotone(steps);
    return matrix_part(*part).table_regulariser(packed.table(), weights);
  };
  EXPECT_EQ(omega({}, {0, 1, 0, 0, 1, 0}), 0);
  EXPECT_FALSE(omega({true, 0}, {0, 1, 0, 0, 1, 0}));
  EXPECT_FALSE(omega({}, {0, 1, 0, 1, 0, 0}));
  EXPECT_FALSE(omega({false, 1}, {1, 0, 0, 0, 0, 1}));
  EXPECT_FALSE(omega({}, {0, 1, 0, 0, 0.5, 0.5}));
  const auto filtered = monotone({}, true);
  EXPECT_FALSE(matrix_part(*filtered).table_maximum(packed.table()));
}

TEST(Monotone, GivesNanForScoresThatAreNone) {
  TableData<double> data = uneven_table(2, 3, 1);
  data.scores[4] = NAN;
  for (const double p : matrix_weights(*monotone({}), data)) EXPECT_TRUE(std::isnan(p));
}

TEST(Monotone, RefusesOptionsItDoesNotHave) {
  EXPECT_THROW(normaliser("monotone", {{"jump", "-1"}}), UsageError);
  EXPECT_THROW(normaliser("monotone", {{"filter", "perhaps"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
