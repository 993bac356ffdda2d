// SPDX-License-Identifier: Apache-2.0
// Canvas: what pictures are drawn on, text in any script included; Cairo and Pango stay behind it.
//
// Lengths are in points of the picture, x to the right and y down. The same calls give the same
// bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/insight/draw/colour_map.h"

namespace heed::insight {

struct Point {
  double x = 0;
  double y = 0;
};

struct Size {
  double width = 0;
  double height = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

enum class Align { start, middle, end };

struct TextStyle {
  double size = 12;
  Rgb colour = {};
  bool bold = false;
  Align align = Align::start;  // which part of the text its place is
  double angle = 0;            // anticlockwise about its place, in degrees
  double room = 0;             // what is longer is cut with "…"; 0: any length
};

struct StrokeStyle {
  Rgb colour = {};
  double width = 1;
  double opacity = 1;
  double dash = 0;  // the length of dashes and of the gaps between them; 0: a whole line
};

// Text is measured as it will be drawn, whatever the surface. UsageError, here and wherever text is
// drawn, when there is no font at all.
Size text_size(const std::string& text, const TextStyle& style = {});

// How many characters no font on this machine has; they are drawn as boxes with their number.
HEED_EXPORTED int characters_without_font(const std::string& text);

// Whether most of these words are of a script that is read from right to left.
bool reads_from_right(std::span<const std::string> words);

class Canvas {
 public:
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  // Moves the place that coordinates are counted from.
  void shift(const Point& by);

  void fill(const Box& box, const Rgb& colour);
  void fill_rounded(const Box& box, double radius, const Rgb& colour);
  void outline(const Box& box, const StrokeStyle& style);
  void line(const Point& from, const Point& to, const StrokeStyle& style);
  // From one height to another, leaving and arriving upright.
  void curve(const Point& from, const Point& to, const StrokeStyle& style);
  // From one place to another at the same height, rising upright to `height` above both.
  void arch(const Point& from, const Point& to, double height, const StrokeStyle& style);
  // The places centre + cos t first + sin t second: an ellipse of these two radii.
  void ellipse(const Point& centre, const Point& first, const Point& second,
               const StrokeStyle& style);
  // What is drawn by this, as far as it lies in the box.
  void within(const Box& box, const std::function<void()>& draw);
  // The head of an arrow that points down at this place, of the stroke's colour and opacity.
  void arrowhead(const Point& at, double size, const StrokeStyle& style);
  // Diagonal lines that meet those of boxes beside it.
  void hatch(std::span<const Box> boxes, const Rgb& colour);
  // Colours of cells row by row, which fill the box; for more cells than shapes are good for.
  void cells(const Box& box, std::int64_t columns, std::span<const Rgb> colours);
  // Its place is half-way up the line of text.
  void text(const Point& place, const std::string& text, const TextStyle& style);

 private:
  friend class Surface;
  struct Pen;
  explicit Canvas(std::unique_ptr<Pen> pen);
  std::unique_ptr<Pen> pen_;
};

// A picture laid out: its size and what draws it.
struct Drawing {
  Size size = {};
  Rgb ground = {1, 1, 1};
  std::string title = {};  // what screen readers say
  std::function<void(Canvas&)> draw = {};
};

std::string svg_of(const Drawing& drawing);

// Pixels are `scale` to a point, from 0.1 to 16. UsageError for a picture beyond 32767 pixels.
std::string png_of(const Drawing& drawing, double scale = 1);

struct Pixels {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<std::uint32_t> colours = {};  // 0xRRGGBB, row by row

  std::uint32_t at(const Point& place) const {
    return colours[static_cast<std::size_t>(static_cast<std::int64_t>(place.y) * width +
                                            static_cast<std::int64_t>(place.x))];
  }
};

// What png_of writes, as numbers.
Pixels pixels_of(const Drawing& drawing, double scale = 1);

}  // namespace heed::insight
