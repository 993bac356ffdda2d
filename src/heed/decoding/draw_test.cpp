// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/draw.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/base/error.h"

namespace heed::decoding {
namespace {

std::array<double, 4> shares(const DrawOptions& options) {
  std::vector<Real> row;
  for (const double p : {.1, .2, .3, .4}) row.push_back(static_cast<Real>(std::log(p)));
  Random random(3);
  std::array<double, 4> counted{};
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    counted[static_cast<std::size_t>(draw_token(row, options, random))] += 1.0 / kDraws;
  }
  return counted;
}

TEST(DrawToken, FollowsTheProbabilities) {
  const auto counted = shares({});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(counted[i], .1 * static_cast<double>(i + 1), .02);
}

TEST(DrawToken, KeepsToTheTopAndTheNucleus) {
  const auto top = shares({.top_k = 2});
  EXPECT_EQ(top[0] + top[1], 0);
  EXPECT_NEAR(top[3], 4. / 7, .02);
  const auto nucleus = shares({.nucleus = .65});
  EXPECT_EQ(nucleus[0] + nucleus[1], 0);
}

TEST(DrawToken, IsSurerWhenItIsColder) {
  EXPECT_NEAR(shares({.temperature = .5})[3], .16 / .30, .02);
  EXPECT_GT(shares({.temperature = .1})[3], .9);
}

TEST(DrawToken, HasNoneToGiveWhereNoneIsPossible) {
  Random random(1);
  const std::vector<Real> row(3, -std::numeric_limits<Real>::infinity());
  EXPECT_EQ(draw_token(row, {.top_k = 2}, random), kNoToken);
}

TEST(DrawToken, RefusesOptionsOutOfRange) {
  EXPECT_THROW(check(DrawOptions{.temperature = 0}), UsageError);
  EXPECT_THROW(check(DrawOptions{.top_k = -1}), UsageError);
  EXPECT_THROW(check(DrawOptions{.nucleus = 1.5}), UsageError);
}

}  // namespace
}  // namespace heed::decoding
