// SPDX-License-Identifier: Apache-2.0
// Sparse spans: short rows written out, limits. That they are optimal, sparsemap_test proves.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/normalisers/structure_testing.h"

namespace heed::attention {
namespace {

TEST(SparseSpan, OfOneKeyIsOne) {
  EXPECT_EQ(weights_of(*normaliser("sparse_span"), std::vector<double>{-4.0})[0], 1);
  EXPECT_EQ(gradient_of(*normaliser("sparse_span"), {-4.0}, {2.0})[0], 0);
}

TEST(SparseSpan, OfTwoKeysIsTheNearestPointOfTheTriangle) {
  // (s + 1) / 2 where the runs {1}, {2} and {1, 2} have it between them, else projected on a side.
  const auto part = normaliser("sparse_span");
  expect_all_near(weights_of(*part, {0.6, 0.2}), {0.8, 0.6}, 1e-15);
  expect_all_near(weights_of(*part, {-0.6, -1}), {0.6, 0.4}, 1e-15);
  expect_all_near(weights_of(*part, {2, 0.2}), {1, 0.6}, 1e-15);
  expect_all_near(gradient_of(*part, {0.6, 0.2}, {1, 4}), {0.5, 2}, 1e-15);
  expect_all_near(gradient_of(*part, {-0.6, -1}, {1, 4}), {-0.75, 0.75}, 1e-15);
}

TEST(SparseSpan, CoversNoMoreThanOneRunCan) {
  // The parts that rise add up to one at the most: two peaks share it.
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const std::vector<double> p =
        weights_of(*normaliser("sparse_span"), normal_scores(20, 2, random));
    double rises = p[0], sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (i > 0) rises += std::max(0.0, p[i] - p[i - 1]);
      sum += p[i];
    }
    EXPECT_LE(rises, 1 + 1e-12);
    EXPECT_GE(sum, 1 - 1e-12);
  }
}

TEST(SparseSpan, BecomesItsBestRunAsScoresGrow) {
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> theta = normal_scores(12, 1, random), best(12);
    RowData<double> data{.scores = theta};
    row_part(*normaliser("span")).structure()->best(data.row(), best);
    for (const double scale : {1e4, 1e30}) {
      std::vector<double> large = theta;
      for (double& score : large) score *= scale;
      expect_all_near(weights_of(*normaliser("sparse_span"), large), best, 1e-12);
    }
  }
}

TEST(SparseSpan, InFloatAgreesWithDouble) {
  Random random(8);
  const std::vector<double> wide = normal_scores(100, 1, random);
  const RowData<float> narrow{.scores = std::vector<float>(wide.begin(), wide.end())};
  const std::vector<double> same(narrow.scores.begin(), narrow.scores.end());
  expect_all_near(weights_of(*normaliser("sparse_span"), narrow),
                  weights_of(*normaliser("sparse_span"), same), 1e-7);
}

}  // namespace
}  // namespace heed::attention
