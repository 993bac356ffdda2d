// SPDX-License-Identifier: Apache-2.0
// CTC in doubles: one label over two frames by hand, and when it leaves a sequence to others.
#include "heed/autograd/ctc_doubles.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace heed {
namespace {

constexpr std::array<std::int32_t, 1> kOne = {1};

TEST(CtcInDoubles, AddsUpThePathsOfALabel) {
  const CtcPlaces places(kOne, 0);
  const std::vector<Real> chances = {Real(.6), Real(.4), Real(.6), Real(.4)};
  std::vector<double> posterior(2 * places.size());
  CtcScratch scratch;
  const auto found = ctc_in_doubles(places, chances.data(), 2, 2, posterior, scratch);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, std::log(.4 * .4 + 2 * .4 * .6), 1e-6);
  EXPECT_NEAR(posterior[1], .4 / .64, 1e-6);  // the label at the first frame: alone or in both
  EXPECT_NEAR(posterior[0] + posterior[1] + posterior[2], 1, 1e-12);
}

TEST(CtcInDoubles, LeavesChancesThatAreTooSmallToOthers) {
  const CtcPlaces places(kOne, 0);
  CtcScratch scratch;
  const std::vector<Real> none = {1, 0};
  EXPECT_FALSE(ctc_in_doubles(places, none.data(), 1, 2, {}, scratch));
  // Each frame is in range, and 300 of them are not.
  std::vector<Real> many;
  for (int t = 0; t < 300; ++t) many.insert(many.end(), {t < 299 ? Real(1e-30) : Real(1), 1});
  EXPECT_FALSE(ctc_in_doubles(places, many.data(), 300, 2, {}, scratch));
}

}  // namespace
}  // namespace heed
