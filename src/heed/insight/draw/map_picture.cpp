// SPDX-License-Identifier: Apache-2.0
// A grid of thumbnails; rows and columns that a set leaves out stay empty.
#include "heed/insight/draw/map_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "heed/base/error.h"
#include "heed/insight/terminal/shade.h"
#include "heed/insight/trace/head_codes.h"

namespace heed::insight {
namespace {

constexpr double kSide = 64;    // of a thumbnail
constexpr double kAcross = 84;  // from one to the next
constexpr double kDown = 98;
constexpr double kLeft = 58;               // names of layers
constexpr double kTop = 22;                // names of heads
constexpr std::uint8_t kMaskedCode = 255;  // of head_codes()
constexpr double kLargestCode = 254;
constexpr int kPixels = 4;  // a side of a cell, so that a hatch has room

// The places of numbers that turn up, from 0 on.
std::map<int, int> places(const AttentionSet& set, int TracedHead::*number) {
  std::map<int, int> found;
  for (const TracedHead& head : set.heads) found[head.*number] = 0;
  int place = 0;
  for (auto& [name, at] : found) at = place++;
  return found;
}

void draw_thumbnail(Canvas& canvas, const Box& box, const HeadCodes& codes,
                    const PictureStyle& style) {
  const ColourMap colours(style.colours, style.theme);
  const Palette palette = palette_of(style.theme);
  const int width = codes.columns * kPixels, height = codes.rows * kPixels;
  std::vector<Rgb> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int cell = y / kPixels * codes.columns + x / kPixels;
      const auto code = static_cast<std::uint8_t>(codes.thumbnail[static_cast<std::size_t>(cell)]);
      if (code == kMaskedCode) {
        pixels.push_back((x + y) % 4 == 0 ? palette.hatch : palette.ground);
      } else {
        pixels.push_back(
            colours.of(code / kLargestCode * (style.colours == Ramp::gray ? codes.scale : 1)));
      }
    }
  }
  canvas.cells(box, width, pixels);
  canvas.outline(box, {.colour = palette.dim});
}

}  // namespace

Box thumbnail_box(const AttentionSet& set, int layer, int head) {
  const std::map<int, int> rows = places(set, &TracedHead::layer);
  const std::map<int, int> columns = places(set, &TracedHead::head);
  return {kLeft + kAcross * columns.at(head), kTop + kDown * rows.at(layer), kSide, kSide};
}

Drawing map_drawing(const AttentionSet& set, const PictureStyle& style) {
  if (set.heads.empty()) throw UsageError("set '{}' has no heads", set.kind);
  struct Thumbnail {
    Box box;
    HeadCodes codes;
  };
  std::vector<Thumbnail> thumbnails;
  for (const TracedHead& head : set.heads) {
    thumbnails.push_back({thumbnail_box(set, head.layer, head.head), head_codes(head.weights, 8)});
  }
  const std::map<int, int> rows = places(set, &TracedHead::layer);
  const std::map<int, int> columns = places(set, &TracedHead::head);
  const Palette palette = palette_of(style.theme);
  Drawing drawing{.size = {kLeft + kAcross * static_cast<double>(columns.size()),
                           kTop + kDown * static_cast<double>(rows.size())},
                  .ground = palette.ground,
                  .title = set.kind};
  drawing.draw = [=](Canvas& canvas) {
    for (const auto& [layer, at] : rows) {
      canvas.text({0, kTop + kDown * at + kSide / 2}, fmt::format("layer {}", layer),
                  {.size = 11, .colour = palette.ink});
    }
    for (const auto& [head, at] : columns) {
      canvas.text({kLeft + kAcross * at + kSide / 2, 8}, fmt::format("head {}", head),
                  {.size = 11, .colour = palette.ink, .align = Align::middle});
    }
    for (const Thumbnail& thumbnail : thumbnails) {
      const Box& box = thumbnail.box;
      draw_thumbnail(canvas, box, thumbnail.codes, style);
      canvas.text({box.x + box.width / 2, box.y + box.height + 11},
                  fmt::format("{:.1f} bits, {:.0f}%", thumbnail.codes.entropy,
                              100 * thumbnail.codes.density),
                  {.size = 9.5, .colour = palette.dim, .align = Align::middle});
    }
  };
  return drawing;
}

}  // namespace heed::insight
