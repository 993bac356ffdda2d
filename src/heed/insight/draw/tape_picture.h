// SPDX-License-Identifier: Apache-2.0
// A picture of what a machine did: what it read and wrote as strips of bits, steps from left to
// right, and below them, step under step, the slots that its heads looked at.
//
//   write_atomically("tape.svg", insight::tape_svg({.strips = {{"input", bits}}}));
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/insight/draw/picture_frame.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// Rows of cells over the steps.
struct TapeStrip {
  std::string name{};
  Tensor values{};  // [T,rows], from -1 to 1; kMasked: nothing there
};

struct TapeScene {
  std::vector<TapeStrip> strips{};    // of bits, high cells
  std::vector<TapeStrip> weights{};   // of slots, low cells
  std::vector<std::int64_t> marks{};  // steps before which something was changed from outside
  std::string title{};
  std::string subtitle{};
};

// UsageError for a scene without strips, for strips of other lengths, and for marks beyond them.
std::string tape_svg(const TapeScene& scene, const PictureStyle& style = {});
std::string tape_png(const TapeScene& scene, const PictureStyle& style = {}, double scale = 2);

}  // namespace heed::insight

#pragma GCC visibility pop
