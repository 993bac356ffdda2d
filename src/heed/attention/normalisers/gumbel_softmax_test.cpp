// SPDX-License-Identifier: Apache-2.0
// Gumbel-softmax: draws by key and row, the hard form, and how often each key is drawn.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(GumbelSoftmax, IsSoftmaxOfNoisyScores) {
  RowData<double> row{.scores = {0.5, -1, 2}};
  std::vector<double> noisy = row.scores;
  for (std::size_t i = 0; i < 3; ++i) {
    noisy[i] -= std::log(-std::log(row.random.uniform(static_cast<std::int32_t>(i))));
  }
  expect_all_near(weights_of(*normaliser("gumbel_softmax", {{"temperature", "0.5"}}), row),
                  weights_of(*normaliser("softmax", {{"temperature", "0.5"}}), noisy), 1e-14);
}

TEST(GumbelSoftmax, HardAndColdGiveTheKeyTheSoftOnePrefers) {
  for (std::uint64_t r = 0; r < 50; ++r) {
    RowData<double> row{.scores = {0.5, -1, 2, 1}, .random = {.seed = 1, .row = r}};
    const auto soft = weights_of(*normaliser("gumbel_softmax"), row);
    std::vector<double> expected(4, 0.0);
    expected[static_cast<std::size_t>(std::ranges::max_element(soft) - soft.begin())] = 1;
    EXPECT_EQ(weights_of(*normaliser("gumbel_softmax", {{"hard", "true"}}), row), expected);
    EXPECT_EQ(weights_of(*normaliser("gumbel_softmax", {{"temperature", "0"}}), row), expected);
  }
}

TEST(GumbelSoftmax, HardHasTheGradientOfTheSoftOne) {
  RowData<double> row{.scores = {0.5, -1, 2}};
  const std::vector<double> g = {1, 2, -1};
  EXPECT_EQ(gradients_of(*normaliser("gumbel_softmax", {{"hard", "true"}}), row, g).scores,
            gradients_of(*normaliser("gumbel_softmax"), row, g).scores);
}

TEST(GumbelSoftmax, DrawsKeysAsOftenAsSoftmaxSays) {
  const auto part = normaliser("gumbel_softmax", {{"temperature", "0"}});
  std::vector<double> share(3, 0.0);
  constexpr int kRows = 20000;
  for (std::uint64_t r = 0; r < kRows; ++r) {
    RowData<double> row{.scores = {-2, 0, 0.5}, .random = {.seed = 9, .row = r}};
    const auto p = weights_of(*part, row);
    for (std::size_t i = 0; i < 3; ++i) share[i] += p[i] / kRows;
  }
  expect_all_near(share, {0.0486, 0.3592, 0.5922}, 0.012);  // three deviations of 20,000 draws
}

}  // namespace
}  // namespace heed::attention
