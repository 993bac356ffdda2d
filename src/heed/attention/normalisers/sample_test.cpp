// SPDX-License-Identifier: Apache-2.0
// Sample: how often each key is drawn, its log-probability, and the gradient of REINFORCE.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Sample, DrawsKeysAsOftenAsSoftmaxSays) {
  const auto part = normaliser("sample");
  std::vector<double> share(3, 0.0);
  constexpr int kRows = 20000;
  for (std::uint64_t r = 0; r < kRows; ++r) {
    RowData<double> row{.scores = {-2, 0, 0.5}, .random = {.seed = 9, .row = r}};
    const auto p = weights_of(*part, row);
    for (std::size_t i = 0; i < 3; ++i) share[i] += p[i] / kRows;
  }
  expect_all_near(share, {0.0486, 0.3592, 0.5922}, 0.012);  // three deviations of 20,000 draws
}

TEST(Sample, SaysItsLogProbabilityAndEntropy) {
  const auto part = normaliser("sample");
  RowData<double> row{.scores = {-2, 0, 0.5}};
  const auto drawn = weights_of(*part, row);
  const auto p = weights_of(*normaliser("softmax"), row.scores);
  double log_probability = 0, entropy = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    log_probability += drawn[i] * std::log(p[i]);
    entropy -= p[i] * std::log(p[i]);
  }
  const auto draw = row_part(*part).draw(row.row(), drawn);
  EXPECT_TRUE(row_part(*part).draws());
  EXPECT_NEAR(draw.log_probability, log_probability, 1e-14);
  EXPECT_NEAR(draw.entropy, entropy, 1e-14);
}

TEST(Sample, GradientsOfLogProbabilityAndEntropyAreThoseOfFiniteDifferences) {
  const auto part = normaliser("sample");
  RowData<double> row{.scores = {-2, 0, 0.5, 0.1}};
  const auto drawn = weights_of(*part, row);
  const std::vector<double> none(4, 0.0);
  std::vector<double> dz(4);
  row_part(*part).backward(
      row.row(), drawn, {.weights = none, .log_probability = 0.7, .entropy = -1.3}, {.scores = dz});
  const auto objective = [&] {
    const auto draw = row_part(*part).draw(row.row(), drawn);
    return 0.7 * draw.log_probability - 1.3 * draw.entropy;
  };
  for (std::size_t i = 0; i < 4; ++i) {
    const double before = row.scores[i], step = 1e-6;
    row.scores[i] = before + step;
    const double above = objective();
    row.scores[i] = before - step;
    const double below = objective();
    row.scores[i] = before;
    EXPECT_NEAR(dz[i], (above - below) / (2 * step), 1e-8);
  }
}

}  // namespace
}  // namespace heed::attention
