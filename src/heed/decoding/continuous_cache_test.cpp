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
