// SPDX-License-Identifier: Apache-2.0
// Axes, ticks, lines and names of the picture.
#include "heed/insight/draw/line_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/svg.h"

namespace heed::insight {
namespace {

constexpr double kLeft = 64;
constexpr double kTop = 48;
constexpr double kWidth = 520;
constexpr double kHeight = 280;
constexpr double kPanelWidth = 616;
constexpr double kPanelHeight = 384;
constexpr std::array kColours = {"#08519c", "#d94801", "#238b45", "#6a51a3",
                                 "#525252", "#b8860b", "#c51b7d"};
constexpr std::array kDashes = {"", "7 4", "2 3", "9 3 2 3", "4 2", "12 4", "1 2"};  // for print

// Numbers of an axis from 0 at its low end to 1 at its high end.
class Scale {
 public:
  Scale(const PlotAxis& axis, double least, double most)
      : logarithmic_(axis.logarithmic),
        low_(of(axis.low < axis.high ? axis.low : least)),
        high_(of(axis.low < axis.high ? axis.high : most)) {
    // Steps through a narrower range would be lost to rounding.
    const double size = std::max(std::abs(low_), std::abs(high_));
    if (!(high_ - low_ > 1e-9 * size)) high_ = low_ + std::max(1.0, 1e-6 * size);
  }
  double place(double value) const { return (of(value) - low_) / (high_ - low_); }

  std::vector<PlotTick> round_ticks() const {
    std::vector<PlotTick> ticks;
    const double step = logarithmic_ ? std::ceil((high_ - low_) / 8) : round_step(high_ - low_);
    const double first = std::ceil(low_ / step - 1e-9);
    const auto count = static_cast<int>(std::floor(high_ / step + 1e-9) - first) + 1;
    for (int i = 0; i < count; ++i) {
      const double value = (first + i) * step + 0.0;  // no minus zero
      ticks.push_back(logarithmic_ ? PlotTick{std::pow(10, value), fmt::format("1e{:.0f}", value)}
                                   : PlotTick{value, number_text(value)});
    }
    return ticks;
  }

 private:
  double of(double value) const { return logarithmic_ ? std::log10(value) : value; }
  // "20000" and not "2e+04".
  static std::string number_text(double value) {
    const bool whole = value == std::round(value) && std::abs(value) < 1e7;
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
  }
  // 1, 2 or 5 times a power of ten, so that about five steps span the range.
  static double round_step(double range) {
    const double power = std::pow(10, std::floor(std::log10(range / 5)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= range / 5) return factor * power;
    }
    return 10 * power;
  }

  bool logarithmic_;
  double low_, high_;
};

bool can_be_drawn(const PlotPoint& point, const LinePlotOptions& options) {
  return std::isfinite(point.x) && std::isfinite(point.y) &&
         (!options.x.logarithmic || point.x > 0) && (!options.y.logarithmic || point.y > 0);
}

class Plot {
 public:
  Plot(std::span<const PlotLine> lines, const LinePlotOptions& options)
      : lines_(lines),
        options_(options),
        x_(scale(options.x, &PlotPoint::x)),
        y_(scale(options.y, &PlotPoint::y)) {}

  std::string svg() const {
    std::string svg =
        fmt::format("<text x=\"324\" y=\"24\" text-anchor=\"middle\" font-size=\"15\">{}</text>\n",
                    svg_escaped(options_.title));
    svg += grid() + mark();
    for (std::size_t i = 0; i < lines_.size(); ++i) svg += line(lines_[i], i);
    return svg;
  }

 private:
  double x(double value) const { return kLeft + kWidth * x_.place(value); }
  double y(double value) const { return kTop + kHeight * (1 - y_.place(value)); }

  Scale scale(const PlotAxis& axis, double PlotPoint::*coordinate) const {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const PlotLine& line : lines_) {
      for (const PlotPoint& point : line.points) {
        if (!can_be_drawn(point, options_)) continue;
        least = std::min(least, point.*coordinate);
        most = std::max(most, point.*coordinate);
      }
    }
    if (most < least) throw UsageError("{}: there is no point to draw", options_.title);
    return Scale(axis, least, most);
  }

  std::string grid() const {
    std::string svg;
    for (const PlotTick& tick : options_.y.ticks.empty() ? y_.round_ticks() : options_.y.ticks) {
      svg += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"#e6e6e6\"/>\n", kLeft,
                         y(tick.at), kWidth);
      svg += svg_text(kLeft - 8, y(tick.at) + 4, tick.text, "end");
    }
    for (const PlotTick& tick : options_.x.ticks.empty() ? x_.round_ticks() : options_.x.ticks) {
      svg += svg_text(x(tick.at), kTop + kHeight + 18, tick.text, "middle");
    }
    svg += svg_text(kLeft + kWidth / 2, kTop + kHeight + 40, options_.x.label, "middle");
    return svg + svg_text(kLeft, kTop - 10, options_.y.label, "start");
  }

  std::string mark() const {
    if (options_.mark.text.empty()) return "";
    const double at = x(options_.mark.at);
    return fmt::format(
               "<path class=\"mark\" d=\"M{:.1f} {:.1f}v{:.1f}\" stroke=\"#888888\" "
               "stroke-dasharray=\"4 4\"/>\n",
               at, kTop, kHeight) +
           svg_text(at + 6, kTop + 12, options_.mark.text, "start");
  }

  std::string line(const PlotLine& line, std::size_t index) const {
    const std::string_view colour = kColours[index % kColours.size()];
    const std::string_view dashes = kDashes[index % kDashes.size()];
    std::string points;
    std::string dots;
    for (const PlotPoint& point : line.points) {
      if (!can_be_drawn(point, options_)) continue;
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x(point.x), y(point.y));
      if (point.note.empty()) continue;
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}: "
          "{}</title></circle>\n",
          x(point.x), y(point.y), colour, svg_escaped(line.name), svg_escaped(point.note));
    }
    const double at = kTop + kHeight - 12 - 18 * static_cast<double>(index);
    return fmt::format(
               "<polyline class=\"line\" fill=\"none\" stroke=\"{0}\" stroke-width=\"2\" "
               "stroke-dasharray=\"{1}\" points=\"{2}\"/>\n{3}"
               "<path d=\"M{4:.1f} {5:.1f}h28\" stroke=\"{0}\" stroke-width=\"2\" "
               "stroke-dasharray=\"{1}\"/>\n",
               colour, dashes, points, dots, kLeft + 12, at) +
           svg_text(kLeft + 48, at + 4, line.name, "start");
  }

  std::span<const PlotLine> lines_;
  const LinePlotOptions& options_;
  Scale x_, y_;
};

std::string image(std::string_view title, std::size_t panels, const std::string& content) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<title>{2}</title>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "fill=\"white\"/>\n{3}</svg>\n",
      kPanelWidth, kPanelHeight * static_cast<double>(panels), svg_escaped(title), content);
}

}  // namespace

std::string line_svg(std::span<const PlotLine> lines, const LinePlotOptions& options) {
  return image(options.title, 1, Plot(lines, options).svg());
}

std::string stacked_svg(std::string_view title, std::span<const PlotPanel> panels) {
  std::string svg;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    svg += fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}</g>\n",
                       kPanelHeight * static_cast<double>(i),
                       Plot(panels[i].lines, panels[i].options).svg());
  }
  return image(title, panels.size(), svg);
}

}  // namespace heed::insight
