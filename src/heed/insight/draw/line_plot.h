// SPDX-License-Identifier: Apache-2.0
// A picture of lines over two axes, either of them in powers of ten when asked.
#pragma once  // public header

#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct PlotPoint {
  double x = 0;
  double y = 0;
  std::string note = {};  // shown when the mouse rests on its dot; empty: no dot
};

struct PlotLine {
  std::string name = {};
  std::vector<PlotPoint> points = {};
};

struct PlotTick {
  double at = 0;
  std::string text = {};
};

struct PlotAxis {
  std::string label = {};
  bool logarithmic = false;
  // Where neither is said, what the points need.
  double low = 0;
  double high = 0;
  std::vector<PlotTick> ticks = {};  // empty: round numbers
};

struct LinePlotOptions {
  std::string title = {};
  PlotAxis x = {};
  PlotAxis y = {};
  // A dashed line across at this x, with what it says; none without text.
  PlotTick mark = {};
};

// An SVG image. Points that have no place on a logarithmic axis, and numbers that are not finite,
// are left out. UsageError without a point to draw.
std::string line_svg(std::span<const PlotLine> lines, const LinePlotOptions& options);

struct PlotPanel {
  std::vector<PlotLine> lines = {};
  LinePlotOptions options = {};
};

// The same of several, one below the other; none gives an empty image.
std::string stacked_svg(std::string_view title, std::span<const PlotPanel> panels);

}  // namespace heed::insight

#pragma GCC visibility pop
