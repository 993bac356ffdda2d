// SPDX-License-Identifier: Apache-2.0
#include "heed/autograd/ctc_logarithms.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/autograd/ctc_doubles.h"

namespace heed {
namespace {

TEST(CtcByLogarithms, IsWhatDoublesSayWhereTheyReach) {
  constexpr std::array<std::int32_t, 3> kLabels = {1, 1, 2};
  const CtcPlaces places(kLabels, 0);
  constexpr std::size_t kFrames = 6, kSymbols = 3;
  std::vector<Real> chances, logarithms;
  for (std::size_t t = 0; t < kFrames; ++t) {
    for (const double chance :
         {0.5 - 0.05 * static_cast<double>(t), 0.3, 0.2 + 0.05 * static_cast<double>(t)}) {
      chances.push_back(static_cast<Real>(chance));
      logarithms.push_back(static_cast<Real>(std::log(chance)));
    }
  }
  std::vector<double> in_doubles(kFrames * places.size()), by_logarithms(in_doubles.size());
  CtcScratch scratch;
  const auto found = ctc_in_doubles(places, chances.data(), kFrames, kSymbols, in_doubles, scratch);
  ASSERT_TRUE(found);
  EXPECT_NEAR(ctc_by_logarithms(places, logarithms.data(), kFrames, kSymbols, by_logarithms),
              *found, 1e-6);
  for (std::size_t i = 0; i < in_doubles.size(); ++i) {
    EXPECT_NEAR(by_logarithms[i], in_doubles[i], 1e-6) << i;
  }
}

TEST(CtcByLogarithms, HoldsChancesThatNoDoubleHolds) {
  constexpr std::array<std::int32_t, 1> kLabels = {1};
  const CtcPlaces places(kLabels, 0);
  // A path through the label at the first frame, at the second, or at both.
  const std::vector<Real> logarithms = {-2000, -3000, -1000, -4000};
  EXPECT_NEAR(ctc_by_logarithms(places, logarithms.data(), 2, 2, {}), -4000, 1e-9);
}

TEST(CtcByLogarithms, IsMinusInfinityWhereNoPathIsLeft) {
  constexpr std::array<std::int32_t, 1> kLabels = {1};
  constexpr Real kNever = -std::numeric_limits<Real>::infinity();
  const std::vector<Real> logarithms = {0, kNever};
  EXPECT_EQ(ctc_by_logarithms(CtcPlaces(kLabels, 0), logarithms.data(), 1, 2, {}),
            -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace heed
