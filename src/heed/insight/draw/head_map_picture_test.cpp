// SPDX-License-Identifier: Apache-2.0
// Tiles have places of their own, and darker ones say more.
#include "heed/insight/draw/head_map_picture.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

HeadMap some_heads() {
  return {.title = "heads",
          .tiles = {{"encoder self", 0, 0, 1, {"position -1"}},
                    {"encoder self", 0, 1, 0, {}},
                    {"encoder self", 1, 0, .5, {}},
                    {"cross", 0, 0, -1, {"copies", "12%"}}}};
}

TEST(HeadMapPicture, PutsSetsAndLayersDownAndHeadsAcross) {
  const HeadMap map = some_heads();
  const Box first = tile_box(map, map.tiles[0]), right = tile_box(map, map.tiles[1]),
            below = tile_box(map, map.tiles[2]), other = tile_box(map, map.tiles[3]);
  EXPECT_GE(right.x, first.x + first.width);
  EXPECT_EQ(right.y, first.y);
  EXPECT_GE(below.y, first.y + first.height);
  EXPECT_GE(other.y, below.y + below.height);
}

TEST(HeadMapPicture, ColoursByTheShareOfTheLargest) {
  const HeadMap map = some_heads();
  const std::string svg = head_map_svg(map);
  EXPECT_NE(svg.find("<svg"), svg.npos);
  EXPECT_NE(svg, head_map_svg({.title = "heads",
                               .tiles = {{"encoder self", 0, 0, 1, {"position -1"}},
                                         {"encoder self", 0, 1, 1, {}},
                                         {"encoder self", 1, 0, .5, {}},
                                         {"cross", 0, 0, -1, {"copies", "12%"}}}}));
  EXPECT_EQ(svg, head_map_svg(map));
  EXPECT_EQ(head_map_png(map).substr(1, 3), "PNG");
}

TEST(HeadMapPicture, NeedsATile) {
  EXPECT_THROW(head_map_svg({}), UsageError);
}

}  // namespace
}  // namespace heed::insight
