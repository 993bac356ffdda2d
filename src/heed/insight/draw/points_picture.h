// SPDX-License-Identifier: Apache-2.0
// A picture of what a model pointed at: the points, its polygon or tour over the right one, rays
// from each point to those that came into question next, and the same weights as a matrix.
//
//   write_atomically("hull.svg", insight::points_svg({.points = points, .found = {0, 1, 2}}));
#pragma once  // public header

#include <string>

#include "heed/corpora/points/plane.h"
#include "heed/insight/draw/picture_frame.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct PointScene {
  corpora::Points points{};
  corpora::Route found{};
  corpora::Route known{};  // the right answer; empty: unknown
  bool closed = true;      // whether the way goes back to its first point
  bool numbers = false;    // whether x alone counts: points are drawn in rows, as they came
  // [T,1+P], of each step over the choices, the end first, kMasked for what could not be chosen;
  // not defined: no rays.
  Tensor weights{};
  std::string title{};
  std::string subtitle{};
};

// UsageError for a scene without points, with a route beyond them or weights of another shape.
std::string points_svg(const PointScene& scene, const PictureStyle& style = {});
std::string points_png(const PointScene& scene, const PictureStyle& style = {}, double scale = 2);

}  // namespace heed::insight

#pragma GCC visibility pop
