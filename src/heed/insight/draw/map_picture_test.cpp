// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/map_picture.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/error.h"
#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

TEST(MapPicture, PutsLayersDownAndHeadsAcross) {
  const AttentionSet set = small_set();
  const Box first = thumbnail_box(set, 0, 0);
  EXPECT_GT(thumbnail_box(set, 0, 1).x, first.x + first.width);
  EXPECT_GT(thumbnail_box(set, 1, 0).y, first.y + first.height);
  const Drawing drawing = map_drawing(set, {});
  const Box last = thumbnail_box(set, 1, 2);
  EXPECT_LE(last.x + last.width, drawing.size.width);
  EXPECT_LE(last.y + last.height, drawing.size.height);
}

TEST(MapPicture, ShowsWeightsZerosAndMasksInEveryThumbnail) {
  const AttentionSet set = small_set();
  const Pixels pixels = pixels_of(map_drawing(set, {}));
  for (const TracedHead& head : set.heads) {
    const Box box = thumbnail_box(set, head.layer, head.head);
    const auto cell = [&](int q, int k) {
      std::set<std::uint32_t> colours;
      for (int dy = 4; dy < 18; ++dy) {
        for (int dx = 4; dx < 18; ++dx) {
          colours.insert(pixels.at({box.x + 64. / 3 * k + dx, box.y + 64. / 3 * q + dy}));
        }
      }
      return colours;
    };
    EXPECT_EQ(cell(2, 0), std::set<std::uint32_t>{0xffffff}) << "zero";
    EXPECT_GT(cell(0, 1).size(), 1u) << "hatched";
    EXPECT_EQ(cell(0, 0).size(), 1u);
    EXPECT_NE(cell(0, 0), cell(1, 0)) << "1 and .5";
  }
}

TEST(MapPicture, KeepsASingleSpikeOfALargeHead) {
  AttentionSet set{.kind = "self"};
  Tensor weights = Tensor::zeros({200, 200});
  weights.mutable_data()[57 * 200 + 133] = 1;
  set.heads = {{0, 0, weights}};
  const Pixels pixels = pixels_of(map_drawing(set, {}));
  const Box box = thumbnail_box(set, 0, 0);
  EXPECT_NE(pixels.at({box.x + 64 * 133 / 200., box.y + 64 * 57 / 200.}), 0xffffffu);
}

TEST(MapPicture, NeedsAHead) {
  EXPECT_THROW(map_drawing({.kind = "cross"}, {}), UsageError);
}

}  // namespace
}  // namespace heed::insight
