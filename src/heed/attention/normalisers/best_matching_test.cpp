// SPDX-License-Identifier: Apache-2.0
// Best matchings beside all matchings.
#include "heed/attention/normalisers/best_matching.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "heed/attention/normalisers/first_of_equals.h"
#include "heed/attention/table_structure_testing.h"

namespace heed::attention {
namespace {

Choices best_of_all(const TableData<double>& data) {
  const auto matchings = structures_of(data, [](const Choices& keys) {
    return std::set(keys.begin(), keys.end()).size() == keys.size();
  });
  if (matchings.empty()) return {};
  return enumerated(data, matchings, std::vector<double>(data.scores.size())).best;
}

TableData<double> some_table(std::int64_t rows, std::int64_t columns, int seed, double step) {
  return {.queries = rows,
          .keys = columns,
          .scores = uneven(static_cast<std::size_t>(rows * columns), 2, seed, step)};
}

TEST(BestMatching, IsTheBestOfAllAndTheFirstOfEquals) {
  for (const double step : {0.0, 0.5, 1.0, 2.0}) {
    for (int seed = 0; seed < 40; ++seed) {
      const std::int64_t rows = 1 + seed % 4;
      const TableData<double> data = some_table(rows, rows + seed % 3, seed, step);
      SCOPED_TRACE(::testing::Message() << "step " << step << ", seed " << seed);
      EXPECT_EQ(best_matching(data.scores, static_cast<std::size_t>(data.keys)), best_of_all(data));
    }
  }
}

TEST(BestMatching, UsesNoForbiddenCell) {
  int without = 0;
  for (int seed = 0; seed < 40; ++seed) {
    TableData<double> data = some_table(4, 4 + seed % 2, seed, seed % 3 == 0 ? 1 : 0);
    std::vector<double> scores = data.scores;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      data.allowed.push_back(std::sin(5.3 * static_cast<double>(i * i) + seed) > -0.1);
      if (!data.allowed.back()) scores[i] = -INFINITY;
    }
    const auto found = best_matching(scores, static_cast<std::size_t>(data.keys));
    const Choices expected = best_of_all(data);
    without += expected.empty() ? 1 : 0;
    EXPECT_EQ(found.value_or(Choices{}), expected) << "seed " << seed;
  }
  EXPECT_GT(without, 3);
  EXPECT_LT(without, 37);
}

TEST(BestMatching, IsAsGoodAsItsPotentialsProveForManyRows) {
  const std::size_t n = 60;
  const std::vector<double> scores = uneven(n * n, 3, 5);
  const auto found = best_matching(scores, n);
  ASSERT_TRUE(found);
  // No two rows, and no three, gain by passing their keys on.
  const double* const z = scores.data();
  const auto key = [&](std::size_t row) { return static_cast<std::size_t>((*found)[row]); };
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t c = 0; c < n; ++c) {
        if (a == b || b == c || a == c) continue;
        const double kept = z[a * n + key(a)] + z[b * n + key(b)] + z[c * n + key(c)];
        ASSERT_LE(z[a * n + key(b)] + z[b * n + key(c)] + z[c * n + key(a)], kept + 1e-12);
        ASSERT_LE(z[a * n + key(b)] + z[b * n + key(a)] + z[c * n + key(c)], kept + 1e-12);
      }
    }
  }
}

TEST(BestMatching, IsNoneWhereKeysAreFewer) {
  EXPECT_FALSE(best_matching(std::vector<double>(6), 2));
  EXPECT_EQ(best_matching({}, 0), Choices{});
}

TEST(FirstOfEquals, AsksAgainOnlyWhereTwoWereEqual) {
  int asked = 0;
  const std::vector<double> scores = {1, 1, 0, 1, 1, 0};
  const auto last = [&](std::span<const double> left) {
    ++asked;
    FoundStructure found{.tied = true};
    for (std::size_t row = 0; row < 2; ++row) {
      std::int32_t best = 2;
      for (const std::int32_t column : {1, 0}) {
        const auto at = row * 3 + static_cast<std::size_t>(column);
        if (left[at] > left[row * 3 + static_cast<std::size_t>(best)]) best = column;
      }
      found.choices.push_back(best);
    }
    return std::optional(found);
  };
  EXPECT_EQ(first_of_equals(scores, 3, last), (Choices{0, 0}));
  EXPECT_EQ(asked, 3);
  asked = 0;
  first_of_equals(scores, 3, [&](std::span<const double> left) {
    auto found = last(left);
    found->tied = false;
    return found;
  });
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace heed::attention
