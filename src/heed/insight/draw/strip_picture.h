// SPDX-License-Identifier: Apache-2.0
// A picture of a strip that was read: above its frames where each label was found, by one model or
// by several below one another, and where the labels lie.
//
//   write_atomically("strip.svg", insight::strip_svg({.frames = frames,
//                                                     .looks = {{.rows = {"c", "a"},
//                                                                .weights = weights}}}));
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/insight/draw/picture_frame.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// What one model made of the strip. Of CTC the rows are blank, first label, blank, ... and a path
// goes through them; of a decoder they are its labels.
struct StripLook {
  std::string name{};
  std::vector<std::string> rows{};   // R, "" for a blank
  Tensor weights{};                  // [R,S], of each row over states
  std::vector<std::int64_t> path{};  // the row of each state; empty: none
  std::int64_t frames_of_state = 1;  // S of them cover T, or nearly so
};

// A label and its frames, the last one not included.
struct StripSpan {
  std::string label{};
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct StripScene {
  Tensor frames{};  // [T,F]
  std::vector<StripLook> looks{};
  std::vector<StripSpan> spans{};  // where the labels lie; empty: that is not known
  std::string title{};
  std::string subtitle{};
};

// UsageError for a scene without frames, and for weights, paths and spans that do not fit.
std::string strip_svg(const StripScene& scene, const PictureStyle& style = {});
std::string strip_png(const StripScene& scene, const PictureStyle& style = {}, double scale = 2);

}  // namespace heed::insight

#pragma GCC visibility pop
