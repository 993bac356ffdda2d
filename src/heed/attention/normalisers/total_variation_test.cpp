// SPDX-License-Identifier: Apache-2.0
// The total-variation proximal map: golden vector, runs, and the optimum by random neighbours.
#include "heed/attention/normalisers/total_variation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/attention/testing.h"
#include "heed/base/random.h"

namespace heed::attention {
namespace {

struct Proxed {
  std::vector<double> y;
  std::vector<std::size_t> ends;
};
Proxed prox(const std::vector<double>& z, double strength) {
  Proxed result{std::vector<double>(z.size()), {}};
  total_variation_prox(z, strength, result.y, result.ends);
  return result;
}

double objective(const std::vector<double>& z, const std::vector<double>& y, double strength) {
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    sum += (y[i] - z[i]) * (y[i] - z[i]) / 2;
    if (i > 0) sum += strength * std::abs(y[i] - y[i - 1]);
  }
  return sum;
}

TEST(TotalVariation, AgreesWithTheGoldenVector) {
  const auto x = golden().at("x").get<std::vector<double>>();
  expect_all_near(prox(x, 0.2).y,
                  golden().at("fusedmax_lam0.2").at("prox").get<std::vector<double>>(), 1e-12);
}

TEST(TotalVariation, RecordsItsRuns) {
  EXPECT_EQ(prox({1, 1.1, -3, -3.2, 5}, 0.2).ends, (std::vector<std::size_t>{2, 4, 5}));
  EXPECT_EQ(prox({1, 2, 3}, 100).ends, std::vector<std::size_t>{3});
  expect_all_near(prox({1, 2, 3}, 100).y, {2, 2, 2}, 1e-13);
  EXPECT_EQ(prox({4}, 1).y, std::vector<double>{4});
}

TEST(TotalVariation, NoPointNearbyIsBetter) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> z(1 + random.integer(12));
    for (double& value : z) value = random.normal();
    const double strength = random.uniform();
    const std::vector<double> y = prox(z, strength).y;
    const double best = objective(z, y, strength);
    for (int move = 0; move < 50; ++move) {
      std::vector<double> other = y;
      for (double& value : other) value += 0.1 * random.normal();
      ASSERT_GE(objective(z, other, strength), best - 1e-12);
    }
  }
}

}  // namespace
}  // namespace heed::attention
