// SPDX-License-Identifier: Apache-2.0
// Tiles in blocks, one block below the other.
#include "heed/insight/draw/head_map_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

constexpr double kTileWidth = 104, kTileHeight = 46, kTileGap = 6;
constexpr double kTileLeft = 58;  // names of layers
constexpr double kBlockTop = 40;  // the name of the set and those of heads
constexpr double kBlockSpace = 14;
constexpr std::size_t kMostLines = 3;

struct TileBlock {
  std::string set;
  double top = 0;
  std::map<int, int> layers{}, heads{};  // places of the numbers that turn up

  double height() const {
    return kBlockTop + (kTileHeight + kTileGap) * static_cast<double>(layers.size());
  }
};

std::vector<TileBlock> blocks_of(const HeadMap& map) {
  std::vector<TileBlock> blocks;
  for (const HeadTile& tile : map.tiles) {
    auto found = std::ranges::find(blocks, tile.set, &TileBlock::set);
    if (found == blocks.end()) found = blocks.insert(blocks.end(), TileBlock{.set = tile.set});
    found->layers[tile.layer] = 0;
    found->heads[tile.head] = 0;
  }
  double top = 0;
  for (TileBlock& block : blocks) {
    int place = 0;
    for (auto& [layer, at] : block.layers) at = place++;
    place = 0;
    for (auto& [head, at] : block.heads) at = place++;
    block.top = top;
    top += block.height() + kBlockSpace;
  }
  return blocks;
}

Box box_in(const TileBlock& block, const HeadTile& tile) {
  return {kTileLeft + (kTileWidth + kTileGap) * block.heads.at(tile.head),
          block.top + kBlockTop + (kTileHeight + kTileGap) * block.layers.at(tile.layer),
          kTileWidth, kTileHeight};
}

}  // namespace

Box tile_box(const HeadMap& map, const HeadTile& tile) {
  const std::vector<TileBlock> blocks = blocks_of(map);
  return box_in(*std::ranges::find(blocks, tile.set, &TileBlock::set), tile);
}

Drawing head_map_drawing(const HeadMap& map, const PictureStyle& style) {
  if (map.tiles.empty()) throw UsageError("a map of heads without a head; give one or more");
  const std::vector<TileBlock> blocks = blocks_of(map);
  double width = 0, largest = 0;
  for (const TileBlock& block : blocks) {
    width = std::max(width,
                     kTileLeft + (kTileWidth + kTileGap) * static_cast<double>(block.heads.size()));
  }
  for (const HeadTile& tile : map.tiles) largest = std::max(largest, tile.value);
  const Palette palette = palette_of(style.theme);
  Drawing drawing{.size = {width, blocks.back().top + blocks.back().height()},
                  .ground = palette.ground,
                  .title = map.title};
  drawing.draw = [=, tiles = map.tiles](Canvas& canvas) {
    for (const TileBlock& block : blocks) {
      canvas.text({0, block.top + 10}, block.set,
                  {.size = 12, .colour = palette.ink, .bold = true});
      for (const auto& [head, at] : block.heads) {
        canvas.text(
            {kTileLeft + (kTileWidth + kTileGap) * at + kTileWidth / 2, block.top + kBlockTop - 10},
            fmt::format("head {}", head),
            {.size = 10, .colour = palette.dim, .align = Align::middle});
      }
      for (const auto& [layer, at] : block.layers) {
        canvas.text({0, block.top + kBlockTop + (kTileHeight + kTileGap) * at + kTileHeight / 2},
                    fmt::format("layer {}", layer), {.size = 10, .colour = palette.dim});
      }
    }
    const ColourMap colours(style.colours, style.theme);
    for (const HeadTile& tile : tiles) {
      const Box box = box_in(*std::ranges::find(blocks, tile.set, &TileBlock::set), tile);
      const Rgb ground = colours.of(largest > 0 ? std::max(tile.value, 0.0) / largest : 0);
      canvas.fill(box, ground);
      canvas.outline(box, {.colour = palette.faint});
      const std::size_t lines = std::min(tile.lines.size(), kMostLines);
      for (std::size_t i = 0; i < lines; ++i) {
        canvas.text({box.x + kTileWidth / 2,
                     box.y + kTileHeight / 2 +
                         13 * (static_cast<double>(i) - static_cast<double>(lines - 1) / 2)},
                    tile.lines[i],
                    {.size = 9.5,
                     .colour = ink_on(ground),
                     .align = Align::middle,
                     .room = kTileWidth - 4});
      }
    }
  };
  return framed(drawing, {.style = style,
                          .title = map.title,
                          .subtitle = map.subtitle,
                          .legend = {.largest = largest}});
}

std::string head_map_svg(const HeadMap& map, const PictureStyle& style) {
  return svg_of(head_map_drawing(map, style));
}

std::string head_map_png(const HeadMap& map, const PictureStyle& style, double scale) {
  return png_of(head_map_drawing(map, style), scale);
}

}  // namespace heed::insight
