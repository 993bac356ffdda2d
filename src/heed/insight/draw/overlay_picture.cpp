// SPDX-License-Identifier: Apache-2.0
// A grid of views, all parts of one kind at one height in a row.
#include "heed/insight/draw/overlay_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/insight/terminal/shade.h"

namespace heed::insight {
namespace {

constexpr double kViewWidth = 150;  // of an image
constexpr double kTallestView = 240;
constexpr double kBetweenViews = 14;  // between views
constexpr double kBelowViews = 16;
constexpr double kRoomAcross = 1140;  // for views beside each other
constexpr double kTextLine = 17;      // of text
constexpr double kGateHeight = 14;
constexpr double kPatchHeight = 60;         // height of the patches
constexpr double kBarHeight = 44;           // height of the bars of chances, without their names
constexpr std::size_t kMostBars = 12;       // of more classes the likeliest three are written
constexpr std::int64_t kRasterWidth = 240;  // pixels across that weights are upsampled to
constexpr Rgb kPathShadow = rgb(0x000000);

class OverlayDrawing {
 public:
  OverlayDrawing(const OverlayScene& scene, const PictureStyle& style)
      : scene_(scene), palette_(palette_of(style.theme)) {
    check_overlay(scene);
    for (const OverlayView& view : scene.views) {
      const images::Image& image = image_of(scene, view);
      const double ratio = static_cast<double>(image.height) / static_cast<double>(image.width);
      height_ = std::max(height_, std::min(kTallestView, kViewWidth * ratio));
      labels_ |= !view.label.empty();
      gates_ |= view.gate.has_value();
      patches_ |= !view.patches.empty();
      chances_ |= !view.chances.empty();
      for (const PlaneDensity& density : view.densities) ellipses_of(density);  // refuses
    }
    const auto fit =
        static_cast<std::size_t>((kRoomAcross + kBetweenViews) / (kViewWidth + kBetweenViews));
    columns_ = std::min(scene.views.size(),
                        scene.columns > 0 ? static_cast<std::size_t>(scene.columns) : fit);
  }

  Size size() const {
    const std::size_t rows = (scene_.views.size() + columns_ - 1) / columns_;
    return {static_cast<double>(columns_) * (kViewWidth + kBetweenViews) - kBetweenViews,
            static_cast<double>(rows) * (view_height() + kBelowViews) - kBelowViews};
  }

  Box image_box(std::size_t which) const {
    const images::Image& image = image_of(scene_, scene_.views[which]);
    const double ratio = static_cast<double>(image.height) / static_cast<double>(image.width);
    const double height = std::min(height_, kViewWidth * ratio), width = height / ratio;
    const std::size_t row = which / columns_;
    return {static_cast<double>(which % columns_) * (kViewWidth + kBetweenViews) +
                (kViewWidth - width) / 2,
            static_cast<double>(row) * (view_height() + kBelowViews), width, height};
  }

  void draw(Canvas& canvas) const {
    for (std::size_t i = 0; i < scene_.views.size(); ++i) {
      const OverlayView& view = scene_.views[i];
      const Box box = image_box(i);
      draw_image(canvas, view, box);
      const double left = static_cast<double>(i % columns_) * (kViewWidth + kBetweenViews);
      double top = box.y + height_ + 4;
      if (labels_) {
        canvas.text(
            {left + kViewWidth / 2, top + kTextLine / 2}, view.label,
            {.size = 12, .colour = palette_.ink, .align = Align::middle, .room = kViewWidth});
        top += kTextLine;
      }
      if (gates_) {
        if (view.gate) draw_gate(canvas, *view.gate, left, top);
        top += kGateHeight;
      }
      if (patches_) {
        draw_patches(canvas, view, left, top + 2);
        top += kPatchHeight + 8;
      }
      if (chances_ && !view.chances.empty()) draw_chances(canvas, view, left, top);
    }
  }

 private:
  double view_height() const {
    return height_ + 4 + (labels_ ? kTextLine : 0) + (gates_ ? kGateHeight : 0) +
           (patches_ ? kPatchHeight + 8 : 0) + (chances_ ? kBarHeight + kTextLine : 0);
  }

  void draw_image(Canvas& canvas, const OverlayView& view, const Box& box) const {
    const images::Image& image = image_of(scene_, view);
    // Image pixels stay squares: a whole number of places for each.
    const std::int64_t times =
        view.weights.defined() ? std::max<std::int64_t>(1, kRasterWidth / image.width) : 1;
    const std::int64_t width = image.width * times, height = image.height * times;
    canvas.cells(box, width, overlaid(scene_, view, width, height));
    canvas.outline(box, {.colour = palette_.dim, .width = .75});
    const double pixel = box.width / static_cast<double>(image.width);
    const auto placed = [&](const images::Box& part) {
      return Box{box.x + pixel * static_cast<double>(part.left),
                 box.y + pixel * static_cast<double>(part.top),
                 pixel * static_cast<double>(part.right - part.left),
                 pixel * static_cast<double>(part.bottom - part.top)};
    };
    const Box reach{box.x - 5, box.y - 3, box.width + 10, box.height + 6};
    canvas.within(reach, [&] {
      for (const auto* boxes : {&scene_.gold, &view.gold}) {
        for (const images::Box& gold : *boxes) {
          canvas.outline(placed(gold), {.colour = kGoldColour, .width = 1.75});
        }
      }
      for (const GlimpseStop& stop : view.path) {
        for (const images::Box& part : stop.boxes) {
          canvas.outline(placed(part), {.colour = kPathColour, .width = 1.25});
        }
      }
    });
    canvas.within(box, [&] {
      for (const PlaneDensity& density : view.densities) draw_density(canvas, density, box);
    });
    draw_path(canvas, view, box);
  }

  static void draw_density(Canvas& canvas, const PlaneDensity& density, const Box& box) {
    for (const PlaneEllipse& e : ellipses_of(density)) {
      canvas.ellipse({box.x + box.width * e.x, box.y + box.height * e.y},
                     {box.width * e.first_x, box.height * e.first_y},
                     {box.width * e.second_x, box.height * e.second_y},
                     {.colour = kDensityColour, .width = 1.75});
    }
  }

  static void draw_path(Canvas& canvas, const OverlayView& view, const Box& box) {
    const auto place = [&](const GlimpseStop& stop) {
      return Point{box.x + box.width * stop.x, box.y + box.height * stop.y};
    };
    for (std::size_t i = 1; i < view.path.size(); ++i) {
      const Point from = place(view.path[i - 1]), to = place(view.path[i]);
      canvas.line(from, to, {.colour = kPathShadow, .width = 3, .opacity = .5});
      canvas.line(from, to, {.colour = kPathColour, .width = 1.75});
    }
    for (std::size_t i = 0; i < view.path.size(); ++i) {
      const Point at = place(view.path[i]);
      constexpr double kRadius = 6.5;
      canvas.fill_rounded({at.x - kRadius, at.y - kRadius, 2 * kRadius, 2 * kRadius}, kRadius,
                          kPathColour);
      canvas.text(
          at, fmt::format("{}", i),
          {.size = 9.5, .colour = ink_on(kPathColour), .bold = true, .align = Align::middle});
    }
  }

  void draw_gate(Canvas& canvas, double gate, double left, double top) const {
    const Box bar{left + 32, top + 2, kViewWidth - 64, kGateHeight - 6};
    canvas.text({left, top + kGateHeight / 2 - 1}, "gate", {.size = 10, .colour = palette_.dim});
    canvas.fill({bar.x, bar.y, bar.width * gate, bar.height}, palette_.accent);
    canvas.outline(bar, {.colour = palette_.dim, .width = .75});
    canvas.text({left + kViewWidth, top + kGateHeight / 2 - 1}, weight_text(gate),
                {.size = 10, .colour = palette_.dim, .align = Align::end});
  }

  void draw_patches(Canvas& canvas, const OverlayView& view, double left, double top) const {
    const auto count = static_cast<double>(view.patches.size());
    if (view.patches.empty()) return;
    const double side = std::min(kPatchHeight, (kViewWidth - 6 * (count - 1)) / count);
    double x = left + (kViewWidth - side * count - 6 * (count - 1)) / 2;
    for (const images::Image& patch : view.patches) {
      std::vector<Rgb> colours;
      for (std::int64_t row = 0; row < patch.height; ++row) {
        for (std::int64_t column = 0; column < patch.width; ++column) {
          colours.push_back(colour_at(patch, row, column));
        }
      }
      const Box box{x, top, side, side};
      canvas.cells(box, patch.width, colours);
      canvas.outline(box, {.colour = kPathColour, .width = 1});
      x += side + 6;
    }
  }

  void draw_chances(Canvas& canvas, const OverlayView& view, double left, double top) const {
    const std::size_t count = view.chances.size();
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](auto a, auto b) { return view.chances[a] > view.chances[b]; });
    if (count > kMostBars) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double middle = top + kTextLine * (static_cast<double>(i) + .5);
        canvas.text({left, middle}, scene_.classes[order[i]],
                    {.size = 11, .colour = palette_.ink, .room = kViewWidth - 40});
        canvas.text({left + kViewWidth, middle}, weight_text(view.chances[order[i]]),
                    {.size = 11, .colour = palette_.dim, .align = Align::end});
      }
      return;
    }
    const double width = kViewWidth / static_cast<double>(count), bottom = top + kBarHeight;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = left + width * static_cast<double>(i);
      const double height = kBarHeight * std::clamp(view.chances[i], 0., 1.);
      canvas.fill({x + 1.5, bottom - height, width - 3, height},
                  i == order[0] ? palette_.accent : palette_.hatch);
      canvas.text({x + width / 2, bottom + kTextLine / 2 - 1}, scene_.classes[i],
                  {.size = 9.5,
                   .colour = i == order[0] ? palette_.ink : palette_.dim,
                   .bold = i == order[0],
                   .align = Align::middle,
                   .room = width + 4});
    }
    canvas.line({left, bottom}, {left + kViewWidth, bottom},
                {.colour = palette_.dim, .width = .75});
  }

  OverlayScene scene_;
  Palette palette_;
  double height_ = 0;  // of the tallest image
  std::size_t columns_ = 1;
  bool labels_ = false, gates_ = false, patches_ = false, chances_ = false;
};

// Over a middling grey, as on an image that is neither black nor white.
Legend overlay_legend(const OverlayScene& scene) {
  Legend legend{.largest = overlay_range(scene), .none = true};
  for (const OverlayView& view : scene.views) {
    if (!view.weights.defined()) continue;
    legend.none = false;
    for (const Real weight : view.weights.values()) legend.below_zero |= weight < 0;
  }
  constexpr int kSteps = 150;
  for (int i = 0; i < kSteps; ++i) {
    const double place = (i + .5) / kSteps;
    legend.ramp.push_back(laid_over({.5, .5, .5}, legend.below_zero ? 2 * place - 1 : place));
  }
  return legend;
}

Drawing framed_overlay(const OverlayScene& scene, const PictureStyle& style) {
  return framed(overlay_drawing(scene, style), {.style = style,
                                                .title = scene.title,
                                                .subtitle = scene.subtitle,
                                                .caption = scene.caption,
                                                .legend = overlay_legend(scene)});
}

}  // namespace

Drawing overlay_drawing(const OverlayScene& scene, const PictureStyle& style) {
  const OverlayDrawing overlay(scene, style);
  return {.size = overlay.size(),
          .ground = palette_of(style.theme).ground,
          .title = scene.title,
          .draw = [overlay](Canvas& canvas) { overlay.draw(canvas); }};
}

Box overlay_box(const OverlayScene& scene, std::size_t view) {
  return OverlayDrawing(scene, {}).image_box(view);
}

std::string overlay_svg(const OverlayScene& scene, const PictureStyle& style) {
  return svg_of(framed_overlay(scene, style));
}

std::string overlay_png(const OverlayScene& scene, const PictureStyle& style, double scale) {
  return png_of(framed_overlay(scene, style), scale);
}

}  // namespace heed::insight
