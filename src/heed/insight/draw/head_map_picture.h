// SPDX-License-Identifier: Apache-2.0
// The map of a survey: each head a tile, coloured by a number and labelled with what it does;
// layers go down, heads across, and each kind of attention has a block of its own.
#pragma once

#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/insight/draw/canvas.h"
#include "heed/insight/draw/picture_frame.h"

namespace heed::insight {

struct HeadTile {
  std::string set = {};
  int layer = 0;
  int head = 0;
  double value = 0;                     // what colours it; below 0 counts as 0
  std::vector<std::string> lines = {};  // written on it, at most three
};

struct HeadMap {
  std::string title = {};
  std::string subtitle = {};  // of the whole picture: what the colour stands for
  std::vector<HeadTile> tiles = {};
};

// Where a tile is.
Box tile_box(const HeadMap& map, const HeadTile& tile);

// UsageError without a tile.
HEED_EXPORTED Drawing head_map_drawing(const HeadMap& map, const PictureStyle& style = {});
HEED_EXPORTED std::string head_map_svg(const HeadMap& map, const PictureStyle& style = {});
HEED_EXPORTED std::string head_map_png(const HeadMap& map, const PictureStyle& style = {},
                                       double scale = 2);

}  // namespace heed::insight
