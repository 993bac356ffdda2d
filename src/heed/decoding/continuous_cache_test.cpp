// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/continuous_cache.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/error.h"

namespace heed::decoding {
namespace {

std::vector<Real> uniform(std::size_t count) {
  return std::vector<Real>(count, static_cast<Real>(-std::log(static_cast<double>(count))));
}

double total(const std::vector<Real>& row) {
  double sum = 0;
  for (const Real value : row) sum += std::exp(static_cast<double>(value));
  return sum;
}

TEST(ContinuousCache, MixesByTheLikenessOfStates) {
  ContinuousCache cache({.size = 8, .theta = 2, .lambda = .5});
  const std::vector<Real> east = {1, 0}, north = {0, 1};
  cache.add(east, 1);
  cache.add(north, 3);
  std::vector<Real> row = uniform(4);
  cache.mix(east, row);
  const double likely = std::exp(2) / (std::exp(2) + 1);
  EXPECT_NEAR(std::exp(row[0]), .125, 1e-6);
  EXPECT_NEAR(std::exp(row[1]), .125 + .5 * likely, 1e-6);
  EXPECT_NEAR(std::exp(row[3]), .125 + .5 * (1 - likely), 1e-6);
  EXPECT_NEAR(total(row), 1, 1e-6);
}

TEST(ContinuousCache, ForgetsTheOldest) {
  ContinuousCache cache({.size = 2, .theta = 0, .lambda = .5});
  const std::vector<Real> state = {1};
  for (const text::Token token : {0, 1, 2, 3, 3}) cache.add(state, token);
  EXPECT_EQ(cache.size(), 2);
  std::vector<Real> row = uniform(4);
  cache.mix(state, row);
  EXPECT_NEAR(std::exp(row[3]), .125 + .5, 1e-6);
  EXPECT_NEAR(std::exp(row[0]), .125, 1e-6);
}

TEST(ContinuousCache, LeavesItsCopiesAsTheyAre) {
  const std::vector<Real> east = {1, 0}, north = {0, 1}, west = {-1, 0};
  ContinuousCache cache({.size = 3, .theta = 2, .lambda = .5});
  cache.add(east, 1);
  ContinuousCache one = cache, other = cache;
  one.add(north, 2);
  other.add(west, 2);  // the same place of the ring, another state
  one.add(west, 3);
  const auto mixed = [&](const ContinuousCache& copy, const std::vector<Real>& state) {
    std::vector<Real> row = uniform(4);
    copy.mix(state, row);
    return row;
  };
  std::vector<Real> row = mixed(cache, north);
  EXPECT_NEAR(std::exp(row[1]), .125 + .5, 1e-6);
  row = mixed(one, north);  // theta h . h_i is 0, 2 and 0
  EXPECT_NEAR(std::exp(row[2]), .125 + .5 * std::exp(2) / (std::exp(2) + 2), 1e-6);
  row = mixed(other, west);  // -2 and 2
  EXPECT_NEAR(std::exp(row[2]), .125 + .5 * std::exp(2) / (std::exp(2) + std::exp(-2)), 1e-6);
}

TEST(ContinuousCache, ThatIsEmptyOrSizelessChangesNothing) {
  ContinuousCache none({.size = 0});
  const std::vector<Real> state = {1};
  none.add(state, 2);
  std::vector<Real> row = uniform(4);
  none.mix(state, row);
  EXPECT_EQ(row, uniform(4));
}

TEST(ContinuousCache, RefusesAShareOfOne) {
  EXPECT_THROW(check(CacheOptions{.size = 2, .lambda = 1}), UsageError);
}

}  // namespace
}  // namespace heed::decoding
