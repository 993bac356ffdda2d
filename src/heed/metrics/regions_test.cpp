// SPDX-License-Identifier: Apache-2.0
// Mass and pointing by hand.
#include "heed/metrics/regions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

GoldCells quarter() {
  GoldMask mask = GoldMask::empty(8, 8);
  mask.add_box(4, -3, 99, 4);  // the upper right, beyond the image as well
  return GoldCells::of(mask, 4, 4);
}

TEST(GoldCells, AreCoveredByHalfAndCentredByTheirMiddle) {
  GoldMask mask = GoldMask::empty(4, 8);
  mask.add_box(2, 0, 5, 3);
  const GoldCells cells = GoldCells::of(mask, 1, 2);            // of 4 x 4 pixels
  EXPECT_EQ(cells.covered, (std::vector<std::uint8_t>{0, 0}));  // 6 and 3 of 16
  EXPECT_EQ(cells.centred, (std::vector<std::uint8_t>{1, 0}));
  mask.add_box(2, 3, 4, 4);
  EXPECT_EQ(GoldCells::of(mask, 1, 2).covered, (std::vector<std::uint8_t>{1, 0}));
}

TEST(GoldCells, MayBeFinerThanPixels) {
  GoldMask mask = GoldMask::empty(2, 2);
  mask.add_box(1, 0, 2, 1);
  EXPECT_EQ(GoldCells::of(mask, 1, 4).rows, 1);
  EXPECT_EQ(GoldCells::of(mask, 4, 4).centred[3], 1);
  EXPECT_EQ(GoldCells::of(mask, 4, 4).centred[8], 0);
}

TEST(RegionScore, IsTheMassInsideAndWhetherTheLargestIs) {
  RegionScore score;
  std::vector<float> weights(16, 0);
  weights[3] = .5f;  // inside
  weights[6] = .1f;
  weights[8] = .4f;
  score.add(weights, quarter());
  EXPECT_NEAR(score.mass(), .6, 1e-6);
  EXPECT_EQ(score.pointing(), 1);
  weights[8] = .9f;
  score.add(weights, quarter());
  EXPECT_NEAR(score.mass(), (.6 + .6 / 1.5) / 2, 1e-6);
  EXPECT_EQ(score.pointing(), .5);
  EXPECT_EQ(score.uniform_mass(), .25);
  EXPECT_EQ(score.uniform_pointing(), .25);
  EXPECT_NEAR(score.centre_mass(), .25, 1e-6);
  EXPECT_EQ(score.centre_pointing(), .25);  // the four cells in the middle are alike
}

TEST(RegionScore, TakesHiddenCellsForNothingAndCountsLooksWithoutWeights) {
  RegionScore score;
  std::vector<float> weights(16, std::numeric_limits<float>::quiet_NaN());
  score.add(weights, quarter());
  EXPECT_EQ(score.looks(), 0);
  EXPECT_EQ(score.without_weights(), 1);
  EXPECT_EQ(score.mass(), 0);
  weights[2] = 1;
  weights[0] = -5;
  score.add(weights, quarter());
  EXPECT_EQ(score.mass(), 1);
}

TEST(RegionScore, RefusesWhatDoesNotFit) {
  RegionScore score;
  EXPECT_THROW(score.add(std::vector<float>(4, 1), quarter()), UsageError);
  EXPECT_THROW(GoldCells::of(GoldMask::empty(4, 4), 2, 2), UsageError);
  EXPECT_THROW(GoldCells::of({.height = 2, .width = 2, .inside = {1}}, 2, 2), UsageError);
  GoldMask mask = GoldMask::empty(2, 2);
  mask.add_box(0, 0, 1, 1);
  EXPECT_THROW(GoldCells::of(mask, 0, 2), UsageError);
}

}  // namespace
}  // namespace heed::metrics
