// SPDX-License-Identifier: Apache-2.0
// Regions: runs, areas and shares of cells.
#include "heed/corpora/scenes/pictured.h"

#include <gtest/gtest.h>

namespace heed::corpora {
namespace {

TEST(Region, IsRunsOfPixelsAndCoversSharesOfCells) {
  // 4 x 4 pixels, the right column of the upper half and the lower left quarter.
  std::vector<bool> mask(16, false);
  mask[3] = mask[7] = true;
  mask[8] = mask[9] = mask[12] = mask[13] = true;
  const Region region{.mask = runs_of(mask)};
  EXPECT_EQ(region.mask, (std::vector<PixelRun>{{3, 4}, {7, 10}, {12, 14}}));
  EXPECT_EQ(region.area(), 6);
  EXPECT_EQ(region.shares(4, 4, 2, 2), (std::vector<double>{0, .5, 1, 0}));
  EXPECT_EQ(region.shares(4, 4, 1, 1), (std::vector<double>{.375}));
}

}  // namespace
}  // namespace heed::corpora
