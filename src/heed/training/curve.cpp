// SPDX-License-Identifier: Apache-2.0
// Curves as text and as SVG shapes.
#include "heed/training/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/base/svg.h"
#include "heed/base/text.h"

namespace heed::training {
namespace {

constexpr std::string_view kTraining = "training loss";
constexpr std::string_view kValidation = "loss";

constexpr double kWidth = 640;  // of a panel, in pixels
constexpr double kHeight = 200;
constexpr double kLeft = 72;
constexpr double kTop = 56;      // of the first panel
constexpr double kBetween = 64;  // from the foot of a panel to the head of the next
constexpr double kRight = 24;
constexpr double kMostValue = 1e300;       // the distance of two is finite, too
constexpr std::size_t kMostPoints = 1000;  // of a line: more than the pixels it has

// 1, 2 or 5 times a power of ten, so that about five steps span the range.
double tick_step(double range) {
  const double rough = range / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Never empty, so that a lone point lies in the middle of its panel; nor so narrow that steps
  // through it are lost to rounding.
  Range widened() const {
    if (high - low > 1e-9 * std::max(std::abs(low), std::abs(high))) return *this;
    const double margin = std::max(std::abs(low), 1.0) / 2;
    return {low - margin, high + margin};
  }
};

struct Line {
  std::string_view name;
  const std::vector<CurvePoint>* points;
  std::string_view colour;
};

// One panel whose head is at `top`; updates span the same range in all of them.
class Panel {
 public:
  Panel(double top, const Range& updates, const std::vector<Line>& lines)
      : top_(top), x_(updates.widened()), lines_(lines) {
    Range values;
    for (const Line& line : lines_) {
      for (const CurvePoint& point : *line.points) values.take(point.value);
    }
    y_ = values.widened();
  }

  std::string svg() const {
    std::string svg = grid();
    double x = kLeft;
    for (const Line& line : lines_) {
      svg += fmt::format("<g fill=\"{}\">{}</g>\n", line.colour,
                         svg_text(x, top_ - 10, line.name, "start"));
      x += 120;
      svg += polyline(line);
    }
    return svg;
  }

 private:
  double x_of(double update) const {
    return kLeft + kWidth * (update - x_.low) / (x_.high - x_.low);
  }
  double y_of(double value) const {
    return top_ + kHeight * (y_.high - value) / (y_.high - y_.low);
  }

  std::string grid() const {
    std::string svg;
    const auto line = [&](double x1, double y1, double x2, double y2) {
      svg += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#eeeeee\"/>\n",
          x1, y1, x2, y2);
    };
    const double x_step = std::max(1.0, tick_step(x_.high - x_.low));
    for (double x = std::ceil(x_.low / x_step) * x_step; x <= x_.high; x += x_step) {
      line(x_of(x), top_, x_of(x), top_ + kHeight);
      svg += svg_text(x_of(x), top_ + kHeight + 18, fmt::format("{:.0f}", x));
    }
    const double y_step = tick_step(y_.high - y_.low);
    for (double tick = std::ceil(y_.low / y_step); tick * y_step <= y_.high; ++tick) {
      const double y = tick * y_step;
      line(kLeft, y_of(y), kLeft + kWidth, y_of(y));
      svg += svg_text(kLeft - 8, y_of(y) + 4, fmt::format("{:.4g}", y), "end");
    }
    return svg;
  }

  std::string polyline(const Line& line) const {
    const std::vector<CurvePoint>& points = *line.points;
    const std::size_t stride = (points.size() + kMostPoints - 1) / kMostPoints;
    std::string svg = fmt::format(
        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"", line.colour);
    for (std::size_t i = 0; i < points.size(); i += stride) {
      svg += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ",
                         x_of(static_cast<double>(points[i].update)), y_of(points[i].value));
    }
    svg += "\"/>\n";
    // A line of one point would not be seen.
    if (points.size() == 1) {
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                         x_of(static_cast<double>(points[0].update)), y_of(points[0].value),
                         line.colour);
    }
    return svg;
  }

  double top_;
  Range x_;
  Range y_;
  const std::vector<Line>& lines_;
};

}  // namespace

void Curve::add(const std::string& name, CurvePoint point) {
  if (std::abs(point.value) < kMostValue) series_[name].push_back(point);
}

std::string Curve::text() const {
  std::string text;
  for (const auto& [name, points] : series_) {
    text += name + '\t';
    for (std::size_t i = 0; i < points.size(); ++i) {
      text += fmt::format("{}{}:{}", i == 0 ? "" : " ", points[i].update, points[i].value);
    }
    text += '\n';
  }
  return text;
}

Curve Curve::from_text(std::string_view text) {
  Curve curve;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    try {
      if (tab == std::string_view::npos) throw UsageError("no tab after the name");
      for (const std::string_view point : split(line.substr(tab + 1), ' ')) {
        const std::size_t colon = point.find(':');
        if (colon == std::string_view::npos) throw UsageError("no colon in \"{}\"", point);
        curve.add(std::string(line.substr(0, tab)),
                  {parse_integer(point.substr(0, colon), "update"),
                   parse_number(point.substr(colon + 1), "value")});
      }
    } catch (const UsageError& error) {
      throw DataError("curve: the line \"{}\" cannot be read: {}", shorten(line, 40), error.what());
    }
  }
  return curve;
}

std::string Curve::svg(std::string_view title) const {
  Range updates;
  std::vector<std::vector<Line>> panels;
  std::vector<Line> losses;
  for (const auto& [name, points] : series_) {
    for (const CurvePoint& point : points) updates.take(static_cast<double>(point.update));
    if (name == kTraining) {
      losses.insert(losses.begin(), {name, &points, "#6baed6"});
    } else if (name == kValidation) {
      losses.push_back({"validation loss", &points, "#a63603"});
    } else {
      panels.push_back({{name, &points, "#08519c"}});
    }
  }
  if (!losses.empty()) panels.insert(panels.begin(), losses);

  const double width = kLeft + kWidth + kRight;
  const double height = kTop + static_cast<double>(panels.size()) * (kHeight + kBetween);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<title>{2}</title>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"white\"/>\n"
      "<text x=\"{3:.1f}\" y=\"22\" text-anchor=\"middle\" font-size=\"15\">{2}</text>\n",
      width, height, svg_escaped(title), width / 2);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double top = kTop + static_cast<double>(i) * (kHeight + kBetween);
    svg += Panel(top, updates, panels[i]).svg();
    svg += svg_text(kLeft + kWidth / 2, top + kHeight + 36, "updates");
  }
  return svg + "</svg>\n";
}

}  // namespace heed::training
