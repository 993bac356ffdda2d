// SPDX-License-Identifier: Apache-2.0
// Labels down, frames across, the strip below.
#include "heed/insight/draw/strip_picture.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/observer.h"
#include "heed/base/error.h"

namespace heed::insight {
namespace {

constexpr double kRoom = 700;  // for all frames
constexpr double kLeastFrame = 2, kMostFrame = 14;
constexpr double kRow = 16;    // of a label
constexpr double kNames = 54;  // to the left
constexpr double kGap = 8;
constexpr double kLabel = 11;
constexpr double kStrip = 90;  // height of all numbers of a frame
constexpr double kMostCell = 8;
constexpr Rgb kPath = rgb(0xe66100);  // is seen on heavy and on light weights, in both themes

void check_look(const StripLook& look, std::int64_t frames) {
  const auto rows = std::ssize(look.rows);
  const bool fits = look.weights.defined() && look.frames_of_state > 0 &&
                    look.weights.rank() == 2 && look.weights.size(0) == rows && rows > 0 &&
                    look.weights.size(1) * look.frames_of_state <= frames;
  if (!fits) {
    throw UsageError("a picture of a strip: weights {} of {} rows over {} frames, {} to a state",
                     look.weights.defined() ? look.weights.shape().text() : "not there", rows,
                     frames, look.frames_of_state);
  }
  if (look.path.empty()) return;
  if (std::ssize(look.path) != look.weights.size(1)) {
    throw UsageError("a picture of a strip: a path of {} states through {}", look.path.size(),
                     look.weights.size(1));
  }
  for (const std::int64_t row : look.path) {
    if (row < 0 || row >= rows) {
      throw UsageError("a picture of a strip: a path through row {} of {}", row + 1, rows);
    }
  }
}

void check(const StripScene& scene) {
  if (!scene.frames.defined() || scene.frames.rank() != 2 || scene.frames.size() == 0) {
    throw UsageError("a picture of a strip: there are no frames");
  }
  const std::int64_t frames = scene.frames.size(0);
  for (const StripLook& look : scene.looks) check_look(look, frames);
  for (const StripSpan& span : scene.spans) {
    if (span.begin < 0 || span.end <= span.begin || span.end > frames) {
      throw UsageError("a picture of a strip: a label from frame {} to before {} of {}", span.begin,
                       span.end, frames);
    }
  }
}

// One scale for all looks, so that they can be compared.
Legend legend_of_all(const StripScene& scene, Ramp colours) {
  Legend all{.largest = 0};
  for (const StripLook& look : scene.looks) {
    const Legend one = legend_of(look.weights, colours);
    all.largest = std::max(all.largest, one.largest);
    all.zeros |= one.zeros;
    all.masked |= one.masked;
  }
  return all;
}

class StripDrawing {
 public:
  StripDrawing(const StripScene& scene, const PictureStyle& style)
      : scene_(scene),
        style_(style),
        palette_(palette_of(style.theme)),
        largest_(legend_of_all(scene, style.colours).largest),
        frame_(
            std::clamp(kRoom / static_cast<double>(scene.frames.size(0)), kLeastFrame, kMostFrame)),
        cell_(std::min(kMostCell, kStrip / static_cast<double>(scene.frames.size(1)))) {}

  Size size() const {
    double height = spans_height() + cell_ * static_cast<double>(scene_.frames.size(1)) + 2;
    for (const StripLook& look : scene_.looks) height += height_of(look);
    return {kNames + frame_ * static_cast<double>(scene_.frames.size(0)) + 2, height};
  }

  void draw(Canvas& canvas) const {
    double top = 0;
    for (const StripLook& look : scene_.looks) {
      draw_look(canvas, look, top);
      top += height_of(look);
    }
    draw_spans(canvas, top);
    draw_frames(canvas, top + spans_height());
  }

 private:
  static double name_height(const StripLook& look) { return look.name.empty() ? 0 : kRow; }
  static double height_of(const StripLook& look) {
    return name_height(look) + static_cast<double>(look.rows.size()) * kRow + kGap;
  }
  double spans_height() const { return scene_.spans.empty() ? 0 : kRow + 4; }

  void draw_look(Canvas& canvas, const StripLook& look, double top) const {
    if (!look.name.empty()) {
      canvas.text({kNames, top + kRow / 2}, look.name, {.size = kLabel, .colour = palette_.dim});
    }
    top += name_height(look);
    const ColourMap colours(style_.colours, style_.theme);
    const std::int64_t states = look.weights.size(1);
    const double state = frame_ * static_cast<double>(look.frames_of_state);
    std::vector<Rgb> cells;
    for (std::int64_t row = 0; row < look.weights.size(0); ++row) {
      for (std::int64_t s = 0; s < states; ++s) {
        const auto weight = static_cast<double>(attention::share_of(look.weights.at({row, s})));
        cells.push_back(colours.of(largest_ > 0 ? weight / largest_ : 0));
      }
      canvas.text({kNames - 6, top + kRow * (static_cast<double>(row) + .5)},
                  look.rows[static_cast<std::size_t>(row)],
                  {.size = kLabel, .colour = palette_.ink, .align = Align::end});
    }
    const Box box{kNames, top, state * static_cast<double>(states),
                  static_cast<double>(look.rows.size()) * kRow};
    canvas.cells(box, states, cells);
    canvas.outline(box, {.colour = palette_.faint});
    const auto middle = [&](std::size_t s) {
      return Point{kNames + state * (static_cast<double>(s) + .5),
                   top + kRow * (static_cast<double>(look.path[s]) + .5)};
    };
    for (std::size_t s = 1; s < look.path.size(); ++s) {
      canvas.line(middle(s - 1), middle(s), {.colour = kPath, .width = 2});
    }
  }

  void draw_spans(Canvas& canvas, double top) const {
    for (const StripSpan& span : scene_.spans) {
      const double left = kNames + frame_ * static_cast<double>(span.begin);
      const double right = kNames + frame_ * static_cast<double>(span.end);
      canvas.text({(left + right) / 2, top + kRow / 2 - 1}, span.label,
                  {.size = kLabel, .colour = palette_.dim, .align = Align::middle});
      canvas.line({left + 1, top + kRow}, {right - 1, top + kRow},
                  {.colour = palette_.dim, .width = 1.5});
    }
  }

  void draw_frames(Canvas& canvas, double top) const {
    const auto values = scene_.frames.packed();
    double largest = 0;
    bool signs = false;
    for (const Real value : values.span()) {
      largest = std::max(largest, static_cast<double>(std::abs(value)));
      signs |= value < 0;
    }
    const ColourMap colours(signs ? Ramp::diverging : Ramp::gray, style_.theme);
    std::vector<Rgb> cells;
    const std::int64_t frames = scene_.frames.size(0), height = scene_.frames.size(1);
    for (std::int64_t row = 0; row < height; ++row) {
      for (std::int64_t t = 0; t < frames; ++t) {
        const auto value = static_cast<double>(scene_.frames.at({t, row}));
        cells.push_back(colours.of(largest > 0 ? value / largest : 0));
      }
    }
    const Box box{kNames, top, frame_ * static_cast<double>(frames),
                  cell_ * static_cast<double>(height)};
    canvas.cells(box, frames, cells);
    canvas.outline(box, {.colour = palette_.faint});
    canvas.text({kNames - 6, top + box.height / 2}, "strip",
                {.size = kLabel, .colour = palette_.dim, .align = Align::end});
  }

  StripScene scene_;
  PictureStyle style_;
  Palette palette_;
  double largest_;
  double frame_;
  double cell_;
};

Drawing strip_drawing(const StripScene& scene, const PictureStyle& style) {
  check(scene);
  const StripDrawing strip(scene, style);
  const bool paths =
      std::ranges::any_of(scene.looks, [](const StripLook& look) { return !look.path.empty(); });
  Drawing content{.size = strip.size(),
                  .ground = palette_of(style.theme).ground,
                  .title = scene.title,
                  .draw = [strip](Canvas& canvas) { strip.draw(canvas); }};
  return framed(std::move(content),
                {.style = style,
                 .title = scene.title,
                 .subtitle = scene.subtitle,
                 .caption = paths ? "labels downwards, blanks between them, frames across: the "
                                    "chance of each at each frame; line: the likeliest path"
                                  : "labels downwards, frames across: where each was looked for",
                 .legend = legend_of_all(scene, style.colours)});
}

}  // namespace

std::string strip_svg(const StripScene& scene, const PictureStyle& style) {
  return svg_of(strip_drawing(scene, style));
}

std::string strip_png(const StripScene& scene, const PictureStyle& style, double scale) {
  return png_of(strip_drawing(scene, style), scale);
}

}  // namespace heed::insight
