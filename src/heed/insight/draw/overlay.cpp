// SPDX-License-Identifier: Apache-2.0
// Upsampling and blending.
#include "heed/insight/draw/overlay.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

constexpr double kStrongest = .8;  // opacity of the largest weight: the image stays to be seen
constexpr Rgb kHeat = rgb(0xff8c00), kCold = rgb(0x2f7bff);

double cell(const Tensor& weights, std::int64_t row, std::int64_t column) {
  const auto weight = static_cast<double>(weights.at({row, column}));
  return std::isnan(weight) ? 0 : weight;
}

// The two cells beside a place and the share of the second.
struct Between {
  std::int64_t first = 0, second = 0;
  double share = 0;
};

Between between(double place, std::int64_t cells) {
  const double at =
      std::clamp(place * static_cast<double>(cells) - .5, 0., static_cast<double>(cells - 1));
  const auto first = static_cast<std::int64_t>(at);
  return {first, std::min(first + 1, cells - 1), at - static_cast<double>(first)};
}

}  // namespace

const images::Image& image_of(const OverlayScene& scene, const OverlayView& view) {
  return view.image.empty() ? scene.image : view.image;
}

void check_overlay(const OverlayScene& scene) {
  if (scene.views.empty()) throw UsageError("an overlay: there is nothing to show; add a view");
  for (std::size_t i = 0; i < scene.views.size(); ++i) {
    const OverlayView& view = scene.views[i];
    if (image_of(scene, view).empty()) {
      throw UsageError("an overlay: view {} has no image, and the scene has none", i + 1);
    }
    if (view.weights.defined() && (view.weights.rank() != 2 || view.weights.size() == 0)) {
      throw UsageError("an overlay: weights {} of view {}; it takes a grid [rows,columns]",
                       view.weights.shape().text(), i + 1);
    }
    if (!view.chances.empty() && view.chances.size() != scene.classes.size()) {
      throw UsageError("an overlay: view {} has chances of {} classes, the scene names {}", i + 1,
                       view.chances.size(), scene.classes.size());
    }
    if (view.gate && !(*view.gate >= 0 && *view.gate <= 1)) {
      throw UsageError("an overlay: view {} has a gate of {}; it lies from 0 to 1", i + 1,
                       *view.gate);
    }
  }
}

double overlay_range(const OverlayScene& scene) {
  if (scene.largest > 0) return scene.largest;
  double largest = 0;
  for (const OverlayView& view : scene.views) {
    if (!view.weights.defined()) continue;
    for (const Real weight : view.weights.values()) {
      if (!std::isnan(weight)) largest = std::max(largest, std::abs(double{weight}));
    }
  }
  return largest > 0 ? largest : 1;
}

double weight_at(const Tensor& weights, double x, double y, bool nearest) {
  const std::int64_t rows = weights.size(0), columns = weights.size(1);
  if (nearest) {
    const auto place = [](double share, std::int64_t cells) {
      const double at =
          std::clamp(share * static_cast<double>(cells), 0., static_cast<double>(cells - 1));
      return static_cast<std::int64_t>(at);
    };
    return cell(weights, place(y, rows), place(x, columns));
  }
  const Between down = between(y, rows), across = between(x, columns);
  const auto of_row = [&](std::int64_t row) {
    return (1 - across.share) * cell(weights, row, across.first) +
           across.share * cell(weights, row, across.second);
  };
  return (1 - down.share) * of_row(down.first) + down.share * of_row(down.second);
}

Rgb colour_at(const images::Image& image, std::int64_t row, std::int64_t column) {
  const auto part = [&](std::int64_t channel) {
    return std::clamp(static_cast<double>(image.at(row, column, channel)), 0., 1.);
  };
  if (image.channels == 3) return {part(0), part(1), part(2)};
  double mean = 0;
  for (std::int64_t channel = 0; channel < image.channels; ++channel) mean += part(channel);
  mean /= static_cast<double>(image.channels);
  return {mean, mean, mean};
}

Rgb laid_over(const Rgb& colour, double share) {
  const double opacity = kStrongest * std::min(1., std::abs(share));
  const Rgb& over = share < 0 ? kCold : kHeat;
  const auto mixed = [&](double below, double above) {
    return (1 - opacity) * below + opacity * above;
  };
  return {mixed(colour.red, over.red), mixed(colour.green, over.green),
          mixed(colour.blue, over.blue)};
}

std::vector<Rgb> overlaid(const OverlayScene& scene, const OverlayView& view, std::int64_t width,
                          std::int64_t height) {
  const images::Image& image = image_of(scene, view);
  const double range = overlay_range(scene);
  std::vector<Rgb> colours;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const Rgb colour = colour_at(image, y * image.height / height, x * image.width / width);
      const double share =
          view.weights.defined()
              ? weight_at(view.weights, (static_cast<double>(x) + .5) / static_cast<double>(width),
                          (static_cast<double>(y) + .5) / static_cast<double>(height),
                          scene.nearest) /
                    range
              : 0;
      colours.push_back(laid_over(colour, share));
    }
  }
  return colours;
}

}  // namespace heed::insight
