// SPDX-License-Identifier: Apache-2.0
// Points in a square to the left, weights in a matrix to the right.
#include "heed/insight/draw/points_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "heed/attention/observer.h"
#include "heed/base/error.h"

namespace heed::insight {
namespace {

constexpr double kSquare = 340;
constexpr double kMargin = 18;
constexpr double kBetween = 48;
constexpr double kDot = 4;
constexpr double kLeastRay = .02;  // a weight that is seen
constexpr double kLargestCell = 30;
constexpr double kLabel = 11;
constexpr Rgb kRay = rgb(0xd9730d);
constexpr Rgb kFound = rgb(0x1f5fa8);

void check(const PointScene& scene) {
  const auto size = std::ssize(scene.points);
  if (size == 0) throw UsageError("a picture of points: there are none");
  for (const corpora::Route* route : {&scene.found, &scene.known}) {
    for (const int point : *route) {
      if (point < 0 || point >= size) {
        throw UsageError("a picture of points: a route names point {} of {}", point + 1, size);
      }
    }
  }
  if (scene.weights.defined() && (scene.weights.rank() != 2 || scene.weights.size(1) != size + 1)) {
    throw UsageError("a picture of points: weights {} for {} points; [steps, points + 1] is needed",
                     scene.weights.shape().text(), size);
  }
}

// Where each point lies in the square, y up.
std::vector<Point> places_of(const PointScene& scene) {
  corpora::Points points = scene.points;
  if (scene.numbers) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].y = -static_cast<double>(i);
  }
  corpora::Point low = points.front(), high = points.front();
  for (const corpora::Point& point : points) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  const double wide = std::max(high.x - low.x, 1e-300), tall = std::max(high.y - low.y, 1e-300);
  // One scale for both axes, but where the second is only a row.
  const double both = std::max(wide, tall);
  const double across = scene.numbers ? wide : both, up = scene.numbers ? tall : both;
  const double room = kSquare - 2 * kMargin;
  std::vector<Point> places;
  for (const corpora::Point& point : points) {
    places.push_back({kMargin + (point.x - low.x + (across - wide) / 2) / across * room,
                      kSquare - kMargin - (point.y - low.y + (up - tall) / 2) / up * room});
  }
  return places;
}

class PointsDrawing {
 public:
  PointsDrawing(const PointScene& scene, const PictureStyle& style)
      : scene_(scene), style_(style), palette_(palette_of(style.theme)), places_(places_of(scene)) {
    if (!scene.weights.defined()) return;
    rows_ = scene.weights.size(0);
    columns_ = scene.weights.size(1);
    cell_ = std::min(kLargestCell, kSquare / static_cast<double>(std::max(rows_, columns_)));
  }

  Size size() const {
    if (rows_ == 0) return {kSquare, kSquare};
    return {kSquare + kBetween + cell_ * static_cast<double>(columns_) + 2, kSquare};
  }

  void draw(Canvas& canvas) const {
    canvas.outline({0, 0, kSquare, kSquare}, {.colour = palette_.faint});
    if (rows_ > 0) draw_rays(canvas);
    draw_route(canvas, scene_.known, {.colour = palette_.dim, .width = 5, .opacity = .35});
    draw_route(canvas, scene_.found, {.colour = kFound, .width = 2});
    draw_points(canvas);
    if (rows_ > 0) draw_matrix(canvas);
  }

 private:
  const Point& place(int point) const { return places_[static_cast<std::size_t>(point)]; }

  void draw_route(Canvas& canvas, const corpora::Route& route, const StrokeStyle& style) const {
    for (std::size_t i = 0; i + 1 < route.size(); ++i) {
      canvas.line(place(route[i]), place(route[i + 1]), style);
    }
    if (scene_.closed && route.size() > 2) {
      canvas.line(place(route.back()), place(route.front()), style);
    }
  }

  // From the point that was chosen last to those that could come next.
  void draw_rays(Canvas& canvas) const {
    for (std::int64_t t = 1; t < rows_ && t <= std::ssize(scene_.found); ++t) {
      const Point& from = place(scene_.found[static_cast<std::size_t>(t - 1)]);
      for (std::int64_t key = 1; key < columns_; ++key) {
        const double weight = attention::share_of(scene_.weights.at({t, key}));
        if (weight < kLeastRay) continue;
        canvas.line(from, place(static_cast<int>(key - 1)),
                    {.colour = kRay, .width = 1 + 5 * weight, .opacity = .15 + .45 * weight});
      }
    }
  }

  void draw_points(Canvas& canvas) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Point& at = places_[i];
      const bool first = !scene_.found.empty() && scene_.found.front() == static_cast<int>(i);
      const double radius = first ? kDot + 2 : kDot;
      canvas.fill_rounded({at.x - radius, at.y - radius, 2 * radius, 2 * radius}, radius,
                          first ? kFound : palette_.ink);
      const bool right = at.x > kSquare - 2 * kMargin;
      canvas.text(
          {at.x + (right ? -9. : 9.), at.y - 8}, fmt::format("{}", i + 1),
          {.size = kLabel, .colour = palette_.ink, .align = right ? Align::end : Align::start});
    }
  }

  void draw_matrix(Canvas& canvas) const {
    const double left = kSquare + kBetween;
    const double top = kLabel + 8;
    const ColourMap colours(style_.colours, style_.theme);
    std::vector<Box> masked;
    for (std::int64_t t = 0; t < rows_; ++t) {
      for (std::int64_t key = 0; key < columns_; ++key) {
        const Box box{left + cell_ * static_cast<double>(key), top + cell_ * static_cast<double>(t),
                      cell_, cell_};
        const Real weight = scene_.weights.at({t, key});
        if (attention::is_masked(weight)) {
          masked.push_back(box);
        } else {
          canvas.fill(box, colours.of(static_cast<double>(weight)));
        }
      }
    }
    if (!masked.empty()) canvas.hatch(masked, palette_.hatch);
    canvas.outline(
        {left, top, cell_ * static_cast<double>(columns_), cell_ * static_cast<double>(rows_)},
        {.colour = palette_.faint});
    for (std::int64_t key = 0; key < columns_; ++key) {
      canvas.text({left + cell_ * (static_cast<double>(key) + .5), top - 8},
                  key == 0 ? "end" : fmt::format("{}", key),
                  {.size = kLabel - 1, .colour = palette_.dim, .align = Align::middle});
    }
    for (std::int64_t t = 0; t < rows_; ++t) {
      const std::string label =
          t < std::ssize(scene_.found)
              ? fmt::format("{}", scene_.found[static_cast<std::size_t>(t)] + 1)
              : "end";
      canvas.text({left - 6, top + cell_ * (static_cast<double>(t) + .5)}, label,
                  {.size = kLabel - 1, .colour = palette_.dim, .align = Align::end});
    }
  }

  PointScene scene_;
  PictureStyle style_;
  Palette palette_;
  std::vector<Point> places_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  double cell_ = 0;
};

Drawing drawing_of(const PointScene& scene, const PictureStyle& style) {
  check(scene);
  const PointsDrawing points(scene, style);
  Drawing content{.size = points.size(),
                  .ground = palette_of(style.theme).ground,
                  .title = scene.title,
                  .draw = [points](Canvas& canvas) { points.draw(canvas); }};
  const std::string caption = scene.known.empty()
                                  ? "blue: what the model points at, from the large point on"
                                  : "blue: what the model points at, from the large point on; "
                                    "grey below: the right answer";
  return framed(
      std::move(content),
      {.style = style,
       .title = scene.title,
       .subtitle = scene.subtitle,
       .caption = scene.weights.defined() ? caption + "; rays: weights of each step" : caption,
       .legend = scene.weights.defined() ? legend_of(scene.weights, style.colours)
                                         : Legend{.largest = 0}});
}

}  // namespace

std::string points_svg(const PointScene& scene, const PictureStyle& style) {
  return svg_of(drawing_of(scene, style));
}

std::string points_png(const PointScene& scene, const PictureStyle& style, double scale) {
  return png_of(drawing_of(scene, style), scale);
}

}  // namespace heed::insight
