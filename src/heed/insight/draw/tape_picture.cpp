// SPDX-License-Identifier: Apache-2.0
// Strips below each other, all over the same steps.
#include "heed/insight/draw/tape_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/attention/observer.h"
#include "heed/base/error.h"

namespace heed::insight {
namespace {

constexpr double kRoom = 700;  // for all steps
constexpr double kLeastColumn = 2;
constexpr double kMostColumn = 16;
constexpr double kBit = 9;        // height of a cell of bits
constexpr double kSlots = 230;    // height of all slots
constexpr double kMostSlot = 9;   // of one
constexpr double kLeastSlot = 1;  // of one
constexpr double kNames = 76;     // to the left of the strips
constexpr double kGap = 10;       // between them
constexpr double kNumbers = 18;   // the numbers of steps above all
constexpr double kLabel = 11;
constexpr Rgb kMark = rgb(0xd9730d);

std::int64_t steps_of(const TapeScene& scene) {
  return scene.strips.front().values.size(0);
}

void check(const TapeScene& scene) {
  if (scene.strips.empty()) throw UsageError("a picture of a tape: there are no strips");
  for (const std::vector<TapeStrip>* list : {&scene.strips, &scene.weights}) {
    for (const TapeStrip& strip : *list) {
      const bool matrix = strip.values.defined() && strip.values.rank() == 2;
      if (!matrix || strip.values.size() == 0 ||
          strip.values.size(0) != scene.strips.front().values.size(0)) {
        throw UsageError("a picture of a tape: \"{}\" is {}; all strips are [steps, rows] alike",
                         strip.name,
                         strip.values.defined() ? strip.values.shape().text() : "not there");
      }
    }
  }
  for (const std::int64_t mark : scene.marks) {
    if (mark < 0 || mark >= steps_of(scene)) {
      throw UsageError("a picture of a tape: a mark at step {} of {}", mark + 1, steps_of(scene));
    }
  }
}

class TapeDrawing {
 public:
  TapeDrawing(const TapeScene& scene, const PictureStyle& style)
      : scene_(scene),
        style_(style),
        palette_(palette_of(style.theme)),
        column_(
            std::clamp(kRoom / static_cast<double>(steps_of(scene)), kLeastColumn, kMostColumn)) {}

  Size size() const {
    double height = kNumbers;
    for (const TapeStrip& strip : scene_.strips) height += height_of(strip, kBit) + kGap;
    for (const TapeStrip& strip : scene_.weights) height += height_of(strip, slot(strip)) + kGap;
    return {kNames + wide() + 2, height};
  }

  void draw(Canvas& canvas) const {
    double top = kNumbers;
    draw_numbers(canvas);
    for (const TapeStrip& strip : scene_.strips) top = draw_strip(canvas, strip, kBit, top);
    for (const TapeStrip& strip : scene_.weights) {
      top = draw_strip(canvas, strip, slot(strip), top);
    }
    for (const std::int64_t mark : scene_.marks) {
      const double x = kNames + column_ * static_cast<double>(mark);
      canvas.line({x, kNumbers - 4}, {x, top - kGap}, {.colour = kMark, .width = 1.5, .dash = 4});
    }
  }

 private:
  double wide() const { return column_ * static_cast<double>(steps_of(scene_)); }
  static double slot(const TapeStrip& strip) {
    return std::clamp(kSlots / static_cast<double>(strip.values.size(1)), kLeastSlot, kMostSlot);
  }
  static double height_of(const TapeStrip& strip, double cell) {
    return cell * static_cast<double>(strip.values.size(1));
  }

  void draw_numbers(Canvas& canvas) const {
    // Apart far enough to be read.
    std::int64_t every = 1;
    while (column_ * static_cast<double>(every) < 26) every *= every % 4 == 2 ? 5 : 2;
    for (std::int64_t t = 0; t < steps_of(scene_); ++t) {
      if (t != 0 && (t + 1) % every != 0) continue;
      canvas.text({kNames + column_ * (static_cast<double>(t) + .5), kNumbers / 2 - 2},
                  fmt::format("{}", t + 1),
                  {.size = kLabel - 1, .colour = palette_.dim, .align = Align::middle});
    }
  }

  double draw_strip(Canvas& canvas, const TapeStrip& strip, double cell, double top) const {
    const ColourMap colours(style_.colours, style_.theme);
    const std::int64_t rows = strip.values.size(1), steps = strip.values.size(0);
    std::vector<Rgb> cells;
    cells.reserve(static_cast<std::size_t>(rows * steps));
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t t = 0; t < steps; ++t) {
        const Real value = strip.values.at({t, row});
        cells.push_back(attention::is_masked(value)
                            ? palette_.ground
                            : colours.of(std::clamp(static_cast<double>(value), -1., 1.)));
      }
    }
    const Box box{kNames, top, wide(), height_of(strip, cell)};
    canvas.cells(box, steps, cells);
    canvas.outline(box, {.colour = palette_.faint});
    canvas.text({kNames - 6, top + box.height / 2}, strip.name,
                {.size = kLabel, .colour = palette_.ink, .align = Align::end, .room = kNames - 8});
    return top + box.height + kGap;
  }

  TapeScene scene_;
  PictureStyle style_;
  Palette palette_;
  double column_;
};

Drawing tape_drawing(const TapeScene& scene, const PictureStyle& style) {
  check(scene);
  const TapeDrawing tape(scene, style);
  Drawing content{.size = tape.size(),
                  .ground = palette_of(style.theme).ground,
                  .title = scene.title,
                  .draw = [tape](Canvas& canvas) { tape.draw(canvas); }};
  std::string caption = "steps from left to right, slots from top to bottom";
  if (!scene.marks.empty()) caption += "; dashed: here slots were overwritten";
  return framed(std::move(content), {.style = style,
                                     .title = scene.title,
                                     .subtitle = scene.subtitle,
                                     .caption = caption,
                                     .legend = {.largest = 1, .zeros = true}});
}

}  // namespace

std::string tape_svg(const TapeScene& scene, const PictureStyle& style) {
  return svg_of(tape_drawing(scene, style));
}

std::string tape_png(const TapeScene& scene, const PictureStyle& style, double scale) {
  return png_of(tape_drawing(scene, style), scale);
}

}  // namespace heed::insight
