// SPDX-License-Identifier: Apache-2.0
// Sinkhorn: golden values, shares of keys, what is absent, and the gradient beside a plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/matrix_testing.h"

namespace heed::attention {
namespace {

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

TEST(Sinkhorn, RefusesATemperatureOfZeroAndNoIteration) {
  EXPECT_THROW(normaliser("sinkhorn", {{"temperature", "0"}}), UsageError);
  EXPECT_THROW(normaliser("sinkhorn", {{"iterations", "0"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
