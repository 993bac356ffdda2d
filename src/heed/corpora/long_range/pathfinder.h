// SPDX-License-Identifier: Apache-2.0
// Images of dashed curves with two dots: do they lie at the ends of the same curve? After the
// pathfinder of Linsley et al. (2018), which the Long Range Arena has as sequences of pixels; drawn
// here in a way of our own.
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/images/image_set.h"

namespace heed::corpora {

struct PathfinderOptions {
  std::int64_t side = 32;        // of the image, in pixels
  std::int64_t dashes = 4;       // of each of the two long curves
  std::int64_t distractors = 2;  // curves of half as many dashes, without dots
};

// From a pixel of a curve to the next pixel of it across a gap, at most; and from any pixel of one
// curve or dot to any of another curve, at least. What lies between tells curves apart.
inline constexpr double kPathfinderGap = 3.5;
inline constexpr double kPathfinderApart = 4;

// side x side bytes, row after row. There are always two long curves: connected, the dots lie at
// both ends of one, else at an end of each. UsageError where the image has no room for the curves.
std::vector<std::uint8_t> draw_pathfinder(Random& random, const PathfinderOptions& options,
                                          bool connected);

struct PathfinderSet {
  std::uint64_t seed = 1;
  std::uint64_t part = 0;  // sets of different parts have different images
  std::int64_t size = 1000;
  PathfinderOptions drawing{};
};
// Labels are 1 for connected and 0 for apart, half of each to one image, in any order.
images::ImageSet make_pathfinder(const PathfinderSet& wanted);

}  // namespace heed::corpora
