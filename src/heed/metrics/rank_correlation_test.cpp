// SPDX-License-Identifier: Apache-2.0
// Kendall's tau against counting every pair, against every order, and against figures by hand.
#include "heed/metrics/rank_correlation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"

namespace heed::metrics {
namespace {

using Values = std::vector<double>;

double sign(double value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

// By its definition: concordant less discordant pairs, by the pairs that are tied on neither side.
double counted_tau(const Values& x, const Values& y) {
  double agree = 0, in_x = 0, in_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      agree += sign(x[i] - x[j]) * sign(y[i] - y[j]);
      in_x += x[i] != x[j] ? 1 : 0;
      in_y += y[i] != y[j] ? 1 : 0;
    }
  }
  return agree / std::sqrt(in_x * in_y);
}

TEST(Kendall, KnowsTies) {
  EXPECT_NEAR(kendall(Values{1, 2, 2, 3}, Values{1, 2, 3, 4})->tau, 0.9128709, 1e-7);
  EXPECT_NEAR(kendall(Values{0, 0, 0, .4, .6}, Values{.1, .2, .3, .2, .5})->tau, 0.5039526, 1e-7);
  EXPECT_EQ(kendall(Values{1, 2, 3}, Values{3, 2, 1})->tau, -1);
}

TEST(Kendall, EqualsTheCountOfAllPairs) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = 2 + random.integer(40);
    const std::uint64_t values = 2 + random.integer(20);  // few: many ties
    Values x(size), y(size);
    for (double& one : x) one = static_cast<double>(random.integer(values));
    for (double& one : y) one = static_cast<double>(random.integer(values));
    const auto found = kendall(x, y);
    const bool constant =
        std::ranges::min(x) == std::ranges::max(x) || std::ranges::min(y) == std::ranges::max(y);
    ASSERT_EQ(found.has_value(), !constant);
    if (constant) continue;
    EXPECT_NEAR(found->tau, counted_tau(x, y), 1e-12) << size;
  }
}

TEST(Kendall, CountsOrdersForItsProbability) {
  // Of all 720 orders of six things: how many correlate as much as each does, either way.
  Values fixed(6), order(6);
  std::iota(fixed.begin(), fixed.end(), 0.);
  order = fixed;
  std::vector<std::pair<double, double>> all;  // tau and p
  do {
    const auto found = kendall(fixed, order);
    all.emplace_back(found->tau, found->p);
  } while (std::ranges::next_permutation(order).found);
  ASSERT_EQ(all.size(), 720U);
  for (const auto& [tau, p] : all) {
    const auto as_large = std::ranges::count_if(
        all, [tau = tau](const auto& one) { return std::abs(one.first) >= std::abs(tau) - 1e-12; });
    EXPECT_NEAR(p, std::min(1.0, static_cast<double>(as_large) / 720), 1e-12) << tau;
  }
}

TEST(Kendall, IsNearlyNormalForManyPairs) {
  // Independent orders reach p <= .05 in about one of twenty cases.
  Random random(3);
  int small = 0;
  for (int round = 0; round < 1000; ++round) {
    Values x(60), y(60);
    for (double& one : x) one = static_cast<double>(random.integer(30));  // with ties
    for (double& one : y) one = random.uniform<double>();
    if (kendall(x, y)->p <= .05) ++small;
  }
  EXPECT_GT(small, 30);
  EXPECT_LT(small, 70);
}

TEST(Kendall, SaysNothingWhereThereIsNoOrder) {
  EXPECT_FALSE(kendall(Values{}, Values{}));
  EXPECT_FALSE(kendall(Values{1}, Values{2}));
  EXPECT_FALSE(kendall(Values{1, 1, 1}, Values{1, 2, 3}));
  EXPECT_FALSE(kendall(Values{1, 2, 3}, Values{.2, .2, .2}));
}

TEST(Kendall, RefusesWhatIsNoPairs) {
  EXPECT_EQ(test::message_of<UsageError>([] {
              kendall(Values{1}, Values{1, 2});
            }),
            "kendall: 1 values beside 2; it takes pairs");
  EXPECT_EQ(test::message_of<UsageError>([] {
              kendall(Values{1, NAN}, Values{1, 2});
            }),
            "kendall: a value is NaN, which has no place in an order");
}

}  // namespace
}  // namespace heed::metrics
