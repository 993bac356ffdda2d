// SPDX-License-Identifier: Apache-2.0
// Canvases: images of a set, such as MNIST, at uniform places of a larger black one, with pieces of
// other images as clutter, or several of them; where each lies is kept as gold.
//
//   const Canvas canvas = draw_canvas(digits, 7, {.side = 60, .clutter = 4}, canvas_random(1, 0,
//   7));
//
// A canvas is a function of seed, epoch and number, so that each epoch has fresh ones, a test set
// stays as it is, and a training that resumes sees the same.
#pragma once  // public header

#include <cstdint>
#include <vector>

#include "heed/base/random.h"
#include "heed/images/image.h"
#include "heed/images/image_set.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

inline constexpr std::int64_t kMostCanvasSide = 2048;

struct CanvasOptions {
  std::int64_t side = 60;    // of the square canvas; 0: images as they are, alone and in place
  std::int64_t digits = 1;   // images on it, which do not overlap
  std::int64_t clutter = 0;  // pieces of other images, added and clipped at 1
  std::int64_t piece = 8;    // side of a piece

  bool operator==(const CanvasOptions&) const = default;
};

struct Canvas {
  images::Image image{};
  std::vector<int> labels{};         // from left to right
  std::vector<images::Box> boxes{};  // of each, in the same order
};

// UsageError for a set without images and for a canvas that cannot hold what it is asked to.
void check_canvases(const images::ImageSet& set, const CanvasOptions& options);

// What draws the canvas of this number in this epoch.
Random canvas_random(std::uint64_t seed, std::uint64_t epoch, std::uint64_t number);

// Image `which` of the set, others at random beside it where several are asked for. UsageError as
// check_canvases, and for an image that is not there.
Canvas draw_canvas(const images::ImageSet& set, std::int64_t which, const CanvasOptions& options,
                   Random random);

// The images of an epoch in the order they are drawn in: each once.
std::vector<std::int64_t> canvas_order(const images::ImageSet& set, std::uint64_t seed,
                                       std::uint64_t epoch);

// A set that stays: canvas i shows image i modulo the size of the set. The same seed gives the
// same.
std::vector<Canvas> fixed_canvases(const images::ImageSet& set, std::int64_t count,
                                   const CanvasOptions& options, std::uint64_t seed);

}  // namespace heed::corpora

#pragma GCC visibility pop
