// SPDX-License-Identifier: Apache-2.0
// Title and subtitle above, the legend and the caption's lines below, one under another.
#include "heed/insight/draw/picture_frame.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/text.h"
#include "heed/insight/terminal/shade.h"

namespace heed::insight {
namespace {

constexpr double kMargin = 18;
constexpr double kGap = 14;   // between the parts
constexpr double kLine = 17;  // of small text
constexpr double kLeastWidth = 320;
constexpr double kWidestTitle = 640;
constexpr double kSwatch = 14;
constexpr double kRampWidth = 150;

TextStyle small(const Rgb& colour) {
  return {.size = 11, .colour = colour};
}

// Words put into lines of this width.
std::vector<std::string> wrapped(const std::string& text, double width, const TextStyle& style) {
  std::vector<std::string> lines;
  for (const std::string_view word : split(text, ' ')) {
    const std::string longer =
        lines.empty() ? std::string(word) : lines.back() + " " + std::string(word);
    if (!lines.empty() && text_size(longer, style).width <= width) {
      lines.back() = longer;
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

void draw_legend(Canvas& canvas, const Frame& frame) {
  const Palette palette = palette_of(frame.style.theme);
  const ColourMap colours(frame.style.colours, frame.style.theme);
  const TextStyle text = small(palette.dim);
  const double middle = kSwatch / 2;
  double x = 0;
  const auto say = [&](const std::string& words) {
    canvas.text({x, middle}, words, text);
    x += text_size(words, text).width;
  };
  if (frame.legend.zeros) {
    const Box box{x + .5, .5, kSwatch - 1, kSwatch - 1};
    canvas.fill(box, colours.blank());
    canvas.outline(box, {.colour = palette.dim});
    x += kSwatch + 5;
    say("zero");
    x += 16;
  }
  if (frame.legend.masked) {
    const Box box{x + .5, .5, kSwatch - 1, kSwatch - 1};
    canvas.hatch(std::vector<Box>{box}, palette.hatch);
    canvas.outline(box, {.colour = palette.dim});
    x += kSwatch + 5;
    say("masked");
    x += 16;
  }
  const bool own = frame.legend.largest <= 0;
  say(frame.legend.below_zero ? weight_text(-frame.legend.largest) : "above 0");
  x += 6;
  constexpr int kSteps = 150;
  std::vector<Rgb> ramp = frame.legend.ramp;
  if (ramp.empty()) {
    for (int i = 0; i < kSteps; ++i) {
      const double place = (i + .5) / kSteps;
      ramp.push_back(colours.of(frame.legend.below_zero ? 2 * place - 1 : place));
    }
  }
  x = std::round(x);
  canvas.cells({x, 0, kRampWidth, kSwatch}, std::ssize(ramp), ramp);
  canvas.outline({x + .5, .5, kRampWidth - 1, kSwatch - 1}, {.colour = palette.dim});
  x += kRampWidth + 6;
  say(own ? "each head's largest" : weight_text(frame.legend.largest));
}

double legend_width(const Frame& frame) {
  if (frame.legend.none) return 0;
  const TextStyle text = small({});
  double width = kRampWidth + 12 + text_size("above 0each head's largest", text).width;
  if (frame.legend.zeros) width += kSwatch + 21 + text_size("zero", text).width;
  if (frame.legend.masked) width += kSwatch + 21 + text_size("masked", text).width;
  return width;
}

}  // namespace

Palette palette_of(Theme theme) {
  if (theme == Theme::light) {
    return {.ground = rgb(0xffffff),
            .ink = rgb(0x16191d),
            .dim = rgb(0x5a636e),
            .faint = rgb(0xd4d9df),
            .hatch = rgb(0x9aa2ab),
            .accent = rgb(0x3f83c4)};
  }
  return {.ground = rgb(0x14181f),
          .ink = rgb(0xf0f3f6),
          .dim = rgb(0xa3adb8),
          .faint = rgb(0x363d47),
          .hatch = rgb(0x6a7480),
          .accent = rgb(0x4b9bdc)};
}

Legend legend_of(const Tensor& weights, Ramp colours) {
  Legend legend{.largest = 0};
  for (const Real weight : weights.values()) {
    if (std::isnan(weight)) {
      legend.masked = true;
      continue;
    }
    legend.zeros |= weight == 0;
    legend.below_zero |= weight < 0;
    legend.largest = std::max(legend.largest, std::abs(double{weight}));
  }
  // Of zeros alone any scale would do.
  legend.largest = ColourMap(colours).largest(legend.largest > 0 ? legend.largest : 1);
  return legend;
}

Drawing framed(Drawing content, const Frame& frame) {
  const Palette palette = palette_of(frame.style.theme);
  const TextStyle title{.size = 15, .colour = palette.ink, .bold = true};
  const TextStyle text = small(palette.dim);
  const double inner = std::max({content.size.width, kLeastWidth, legend_width(frame),
                                 std::min(text_size(frame.title, title).width, kWidestTitle),
                                 std::min(text_size(frame.subtitle, text).width, kWidestTitle)});
  const std::vector<std::string> captions =
      frame.caption.empty() ? std::vector<std::string>{} : wrapped(frame.caption, inner, text);
  const double heading = (frame.title.empty() ? 0 : 22) + (frame.subtitle.empty() ? 0 : kLine);
  const double legend = heading + kGap + content.size.height + kGap;
  const double caption = legend + (frame.legend.none ? 0 : kSwatch) + (captions.empty() ? 0 : 10);
  Drawing drawing{
      .size = {std::ceil(inner + 2 * kMargin),
               std::ceil(caption + kLine * static_cast<double>(captions.size()) + 2 * kMargin)},
      .ground = palette.ground,
      .title = frame.title.empty() ? frame.subtitle : frame.title + ": " + frame.subtitle};
  drawing.draw = [=, draw = std::move(content.draw)](Canvas& canvas) {
    canvas.shift({kMargin, kMargin});
    double y = 0;
    if (!frame.title.empty()) {
      TextStyle cut = title;
      cut.room = inner;
      canvas.text({0, y + 9}, frame.title, cut);
      y += 22;
    }
    if (!frame.subtitle.empty()) {
      TextStyle cut = text;
      cut.room = inner;
      canvas.text({0, y + 8}, frame.subtitle, cut);
    }
    canvas.shift({0, heading + kGap});
    draw(canvas);
    canvas.shift({0, legend - heading - kGap});
    if (!frame.legend.none) draw_legend(canvas, frame);
    canvas.shift({0, caption - legend});
    for (std::size_t i = 0; i < captions.size(); ++i) {
      canvas.text({0, 8 + kLine * static_cast<double>(i)}, captions[i], text);
    }
  };
  return drawing;
}

}  // namespace heed::insight
