// SPDX-License-Identifier: Apache-2.0
// For tests of sparse structures over tables: the best of all structures by listing them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "heed/attention/make_parts.h"
#include "heed/attention/table_structure_testing.h"
#include "heed/base/random.h"

namespace heed::attention {

struct SparseKind {
  std::string written;
  std::function<bool(const Choices&)> is_structure;
  bool square = true;

  std::unique_ptr<Normaliser> part() const { return normaliser_of(written); }
};

inline TableData<double> drawn_table(std::int64_t queries, std::int64_t keys, double spread,
                                     Random& random) {
  TableData<double> data{.queries = queries, .keys = keys, .scores = {}};
  data.scores.resize(static_cast<std::size_t>(queries * keys));
  for (double& score : data.scores) score = spread * random.normal();
  return data;
}

inline double along(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The golden weights and gradient of the first rows of the table of trees.
inline void expect_golden_table(const char* golden, const char* written, int rows) {
  SCOPED_TRACE(golden);
  const nlohmann::json& tables = structured_golden().at("tree");
  const std::vector<double> s = matrix_of(tables.at("s")), g = matrix_of(tables.at("g"));
  const nlohmann::json& expected = structured_golden().at("sparsemap").at(golden);
  const auto cells = static_cast<std::ptrdiff_t>(rows) * 4;
  const TableData<double> data{
      .queries = rows, .keys = 4, .scores = {s.begin(), s.begin() + cells}};
  const auto part = normaliser_of(written);
  expect_all_near(matrix_weights(*part, data), matrix_of(expected.at("p")), 1e-13);
  expect_all_near(matrix_gradient(*part, data, std::vector(g.begin(), g.begin() + cells)),
                  matrix_of(expected.at("vjp")), 1e-13);
}

// Off kinks the gradient is the slope along some cells; how many were tried.
inline int expect_slopes(const Normaliser& part, const TableData<double>& data,
                         const std::vector<double>& g) {
  const std::vector<double> d = matrix_gradient(part, data, g);
  int smooth = 0;
  for (std::size_t i = 0; i < d.size(); i += 3) {
    const double step = 1e-6;
    const auto loss = [&](double change) {
      TableData<double> moved = data;
      moved.scores[i] += change;
      return along(matrix_weights(part, moved), g);
    };
    const double before = loss(-step), now = loss(0), after = loss(step);
    if (std::abs(after - 2 * now + before) > 1e-9) continue;  // a kink
    ++smooth;
    EXPECT_NEAR(d[i], (after - before) / (2 * step), 1e-7);
  }
  return smooth;
}

// A thousand tables: no structure may be better along the gradient of the objective,
// <z - P, b> <= <z - P, P>.
inline void expect_thousand_tables(const SparseKind& kind) {
  SCOPED_TRACE(kind.written);
  const auto part = kind.part();
  Random random(4);
  int smooth = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const std::int64_t queries = 1 + trial % 4;
    const std::int64_t keys = queries + (kind.square ? 0 : trial % 2);
    const double spread = trial % 3 == 0 ? 0.3 : trial % 3 == 1 ? 1 : 4;
    const TableData<double> data = drawn_table(queries, keys, spread, random);
    const std::vector<double> p = matrix_weights(*part, data);
    std::vector<double> slope(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) slope[i] = data.scores[i] - p[i];
    const double here = along(slope, p);
    for (const Choices& one : structures_of(data, kind.is_structure)) {
      double there = 0;
      for (std::size_t q = 0; q < one.size(); ++q) {
        there += slope[q * static_cast<std::size_t>(keys) + static_cast<std::size_t>(one[q])];
      }
      ASSERT_LE(there, here + 1e-9) << "trial " << trial;
    }
    ASSERT_NEAR(maximum_of(*part, data), along(data.scores, p) - along(p, p) / 2, 1e-10);
    smooth += expect_slopes(*part, data, uneven(p.size(), 1, trial));
    ASSERT_FALSE(::testing::Test::HasFailure()) << "trial " << trial;
  }
  EXPECT_GT(smooth, 1500);
}

inline void expect_best_as_scores_grow(const SparseKind& kind) {
  SCOPED_TRACE(kind.written);
  Random random(9);
  const auto part = kind.part();
  const TableData<double> data = drawn_table(6, 6, 1, random);
  const Choices best = best_of(*part, data);
  std::vector<double> expected(36, 0.0);
  for (std::size_t q = 0; q < 6; ++q) expected[q * 6 + static_cast<std::size_t>(best[q])] = 1;
  for (const double scale : {1e4, 1e30}) {
    TableData<double> large = data;
    for (double& score : large.scores) score *= scale;
    expect_all_near(matrix_weights(*part, large), expected, 1e-12);
  }
}

// Of 900 cells few have a weight, and rows add up to one.
inline void expect_few_cells(const SparseKind& kind) {
  SCOPED_TRACE(kind.written);
  Random random(2);
  const std::vector<double> p = matrix_weights(*kind.part(), drawn_table(30, 30, 2, random));
  EXPECT_LT(std::ranges::count_if(p, [](double value) { return value != 0; }), 200);
  for (std::size_t q = 0; q < 30; ++q) {
    const auto row = p.begin() + static_cast<std::ptrdiff_t>(q * 30);
    EXPECT_NEAR(std::accumulate(row, row + 30, 0.0), 1, 1e-12);
  }
}

}  // namespace heed::attention
