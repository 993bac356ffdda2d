// SPDX-License-Identifier: Apache-2.0
// Overlays: what is shown of an image that was looked at, once for every word, hop, head or
// glimpse; pictures, the terminal and pages are made of one.
//
//   insight::OverlayScene scene{.image = image, .title = "a red circle"};
//   scene.views.push_back({.label = "red", .weights = weights});  // over 12 x 12 cells
//   write_atomically("seen.svg", insight::overlay_svg(scene));
#pragma once  // public header

#include <optional>
#include <string>
#include <vector>

#include "heed/images/image.h"
#include "heed/insight/draw/colour_map.h"
#include "heed/insight/draw/plane_density.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// Of gold boxes; of paths and what they cover; of densities: seen on dark and on light images.
inline constexpr Rgb kGoldColour = rgb(0x35e06f), kPathColour = rgb(0xff4fa3),
                     kDensityColour = rgb(0x22d3ee);

// A stop of a path: its number is its place in it, from 0 on.
struct GlimpseStop {
  double x = .5, y = .5;             // its centre, in the unit square, x across and y down
  std::vector<images::Box> boxes{};  // what it covers at each scale, in pixels; empty: not drawn
};

struct OverlayView {
  std::string label{};                    // below it
  images::Image image{};                  // empty: the scene's
  Tensor weights{};                       // [rows,columns] over cells of the image, any sign
  std::vector<PlaneDensity> densities{};  // contours and ellipses
  std::vector<images::Box> gold{};        // in pixels, besides the scene's
  std::vector<GlimpseStop> path{};        // joined by lines, numbered
  std::vector<images::Image> patches{};   // as seen, finest first
  std::vector<double> chances{};          // of the scene's classes
  std::optional<double> gate{};           // from 0 to 1, a bar
};

struct OverlayScene {
  images::Image image{};
  std::vector<OverlayView> views{};
  std::vector<images::Box> gold{};     // of every view, in pixels
  std::vector<std::string> classes{};  // what chances are of
  std::string title{};
  std::string subtitle{};
  std::string caption{};
  double largest = 0;    // the weight of full colour; 0: the largest of all views
  bool nearest = false;  // cells as squares, not upsampled bilinearly
  int columns = 0;       // views beside each other; 0: as many as fit
};

// UsageError for a scene without views, an image without pixels, weights that are no grid, chances
// that are not one for each class and gates outside 0 to 1.
void check_overlay(const OverlayScene& scene);

const images::Image& image_of(const OverlayScene& scene, const OverlayView& view);

// What weights are shown as shares of: the same for all views.
double overlay_range(const OverlayScene& scene);

// The weight at a place of the unit square: of cells bilinearly between their centres, beyond these
// that of the nearest. A hidden cell (NaN) weighs 0.
double weight_at(const Tensor& weights, double x, double y, bool nearest = false);

// The image in colours, `width` by `height` of them, each pixel's weight laid over it in orange,
// below zero in blue, as opaque as its share of the range.
std::vector<Rgb> overlaid(const OverlayScene& scene, const OverlayView& view, std::int64_t width,
                          std::int64_t height);
// Grey or colour; images of other numbers of channels are shown as the mean of these.
Rgb colour_at(const images::Image& image, std::int64_t row, std::int64_t column);
// What a share of the range, from -1 to 1, makes of a colour.
Rgb laid_over(const Rgb& colour, double share);

}  // namespace heed::insight

#pragma GCC visibility pop
