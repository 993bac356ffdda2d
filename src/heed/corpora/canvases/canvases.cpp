// SPDX-License-Identifier: Apache-2.0
// Placing, cluttering.
#include "heed/corpora/canvases/canvases.h"

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"

namespace heed::corpora {
namespace {

constexpr int kTries = 100;  // to place one image beside the others, and to place all of them
// Epochs of a training come from 0 on; orders and sets that stay have streams of their own.
constexpr std::uint64_t kFixedEpoch = 0xFFFFFFFF, kOrder = 0xFFFFFFFF;

std::int64_t below(Random& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random.integer(static_cast<std::uint64_t>(limit)));
}

bool overlap(const images::Box& a, const images::Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

images::Box box_at(const images::ImageSet& set, std::int64_t left, std::int64_t top) {
  return {.left = left, .top = top, .right = left + set.columns, .bottom = top + set.rows};
}

// Uniform places one after the other, none over another; empty where there was no room in time.
std::vector<images::Box> try_places(const images::ImageSet& set, const CanvasOptions& options,
                                    Random& random) {
  std::vector<images::Box> boxes;
  for (int tries = 0; std::ssize(boxes) < options.digits; ++tries) {
    if (tries == kTries * options.digits) return {};
    const std::int64_t left = below(random, options.side - set.columns + 1);
    const images::Box box = box_at(set, left, below(random, options.side - set.rows + 1));
    const bool free =
        std::ranges::none_of(boxes, [&](const images::Box& other) { return overlap(box, other); });
    if (free) boxes.push_back(box);
  }
  return boxes;
}

// Of a grid that has room for all: where chance finds none, canvases are nearly full.
std::vector<images::Box> grid_places(const images::ImageSet& set, const CanvasOptions& options,
                                     Random& random) {
  std::vector<images::Box> boxes;
  for (std::int64_t top = 0; top + set.rows <= options.side; top += set.rows) {
    for (std::int64_t left = 0; left + set.columns <= options.side; left += set.columns) {
      boxes.push_back(box_at(set, left, top));
    }
  }
  random.shuffle(boxes);
  boxes.resize(static_cast<std::size_t>(options.digits));
  return boxes;
}

std::vector<images::Box> places(const images::ImageSet& set, const CanvasOptions& options,
                                Random& random) {
  for (int tries = 0; tries < kTries; ++tries) {
    std::vector<images::Box> boxes = try_places(set, options, random);
    if (!boxes.empty()) return boxes;
  }
  return grid_places(set, options, random);
}

// Part of an image, from (row, column) of it on, added to the box of the canvas.
void add(images::Image& canvas, const images::ImageSet& set, std::int64_t which, std::int64_t row,
         std::int64_t column, const images::Box& box) {
  for (std::int64_t y = box.top; y < box.bottom; ++y) {
    const std::uint8_t* from =
        set.image_data(which) + ((row + y - box.top) * set.columns + column) * set.channels;
    float* const to = &canvas.at(y, box.left);
    for (std::int64_t i = 0; i < (box.right - box.left) * set.channels; ++i) {
      to[i] = std::min(1.F, to[i] + static_cast<float>(from[i]) / 255);
    }
  }
}

// An image of the set that is not one of these, unless these are all there is.
std::int64_t other_than(const std::vector<std::int64_t>& shown, const images::ImageSet& set,
                        Random& random) {
  for (int tries = 0; tries < kTries; ++tries) {
    const std::int64_t which = below(random, set.size());
    if (std::ranges::find(shown, which) == shown.end()) return which;
  }
  return below(random, set.size());
}

}  // namespace

void check_canvases(const images::ImageSet& set, const CanvasOptions& options) {
  if (set.size() == 0) throw UsageError("canvases: there are no images to draw from");
  if (options.side < 0 || options.digits < 1 || options.clutter < 0 || options.piece < 1) {
    throw UsageError(
        "canvases: a side of {}, {} digits, {} pieces of {} x {}; it takes 1 digit or "
        "more and pieces of 1 x 1 or more",
        options.side, options.digits, options.clutter, options.piece, options.piece);
  }
  if (options.side == 0) {
    if (options.digits > 1 || options.clutter > 0) {
      throw UsageError(
          "canvases: side 0 takes images as they are, without other digits and "
          "clutter; give a side, such as {}",
          2 * std::max(set.rows, set.columns));
    }
    return;
  }
  if (options.side > kMostCanvasSide) {
    throw UsageError("canvases: a side of {}; {} at most", options.side, kMostCanvasSide);
  }
  const std::int64_t room = (options.side / set.rows) * (options.side / set.columns);
  if (room < options.digits) {
    throw UsageError("canvases: {} x {} has no room for {} image{} of {} x {}; take a side of {}",
                     options.side, options.side, options.digits, options.digits == 1 ? "" : "s",
                     set.columns, set.rows, options.digits * std::max(set.rows, set.columns));
  }
  const std::int64_t least = std::min({set.rows, set.columns, options.side});
  if (options.clutter > 0 && options.piece > least) {
    throw UsageError("canvases: pieces of {} x {} of images of {} x {}; take {} or less",
                     options.piece, options.piece, set.columns, set.rows, least);
  }
}

Random canvas_random(std::uint64_t seed, std::uint64_t epoch, std::uint64_t number) {
  return Random(seed, epoch << 32 | (number & 0xFFFFFFFF));
}

Canvas draw_canvas(const images::ImageSet& set, std::int64_t which, const CanvasOptions& options,
                   Random random) {
  check_canvases(set, options);
  if (which < 0 || which >= set.size()) {
    throw UsageError("canvases: image {} of a set of {}", which, set.size());
  }
  if (options.side == 0) {
    return {.image = set.image(which),
            .labels = {set.labels[static_cast<std::size_t>(which)]},
            .boxes = {box_at(set, 0, 0)}};
  }
  Canvas canvas{.image = images::Image::filled(options.side, options.side, set.channels),
                .boxes = places(set, options, random)};
  std::ranges::sort(canvas.boxes, {},
                    [](const images::Box& box) { return std::pair(box.left, box.top); });
  // The image that was asked for is as likely the last from the left as the first.
  std::vector<std::int64_t> shown{which};
  while (std::ssize(shown) < options.digits) shown.push_back(other_than(shown, set, random));
  random.shuffle(shown);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    add(canvas.image, set, shown[i], 0, 0, canvas.boxes[i]);
    canvas.labels.push_back(set.labels[static_cast<std::size_t>(shown[i])]);
  }
  for (std::int64_t i = 0; i < options.clutter; ++i) {
    const std::int64_t from = other_than(shown, set, random);
    const std::int64_t row = below(random, set.rows - options.piece + 1);
    const std::int64_t column = below(random, set.columns - options.piece + 1);
    const std::int64_t left = below(random, options.side - options.piece + 1);
    const std::int64_t top = below(random, options.side - options.piece + 1);
    add(canvas.image, set, from, row, column,
        {.left = left, .top = top, .right = left + options.piece, .bottom = top + options.piece});
  }
  return canvas;
}

std::vector<std::int64_t> canvas_order(const images::ImageSet& set, std::uint64_t seed,
                                       std::uint64_t epoch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(set.size()));
  std::iota(order.begin(), order.end(), 0);
  Random random = canvas_random(seed, epoch, kOrder);
  random.shuffle(order);
  return order;
}

std::vector<Canvas> fixed_canvases(const images::ImageSet& set, std::int64_t count,
                                   const CanvasOptions& options, std::uint64_t seed) {
  check_canvases(set, options);
  std::vector<Canvas> canvases;
  for (std::int64_t i = 0; i < count; ++i) {
    canvases.push_back(
        draw_canvas(set, i % set.size(), options,
                    canvas_random(seed, kFixedEpoch, static_cast<std::uint64_t>(i))));
  }
  return canvases;
}

}  // namespace heed::corpora
