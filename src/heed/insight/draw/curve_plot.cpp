// SPDX-License-Identifier: Apache-2.0
// Series of a curve as lines of a plot.
#include "heed/insight/draw/curve_plot.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "heed/insight/draw/line_plot.h"

namespace heed::insight {
namespace {

constexpr std::size_t kMostPoints = 1000;
constexpr std::string_view kValidationLoss = "loss";

PlotLine curve_line(const std::string& name, const training::Curve::Series& series) {
  PlotLine line{.name = name};
  const std::size_t stride = (series.size() + kMostPoints - 1) / kMostPoints;
  for (std::size_t i = 0; i < series.size(); i += stride) {
    line.points.push_back({static_cast<double>(series[i].update), series[i].value});
  }
  // A line of one point would not be seen without its dot.
  if (line.points.size() == 1) line.points[0].note = std::to_string(series[0].update);
  return line;
}

}  // namespace

std::string curve_svg(const training::Curve& curve, std::string_view title) {
  PlotPanel losses{.options = {.title = "loss"}};
  std::vector<PlotPanel> panels;
  double first = std::numeric_limits<double>::infinity();
  double last = -first;
  for (const auto& [name, series] : curve.series()) {
    for (const training::CurvePoint& point : series) {
      first = std::min(first, static_cast<double>(point.update));
      last = std::max(last, static_cast<double>(point.update));
    }
    if (name == training::Curve::kTrainingLoss) {
      losses.lines.insert(losses.lines.begin(), curve_line(name, series));
    } else if (name == kValidationLoss) {
      losses.lines.push_back(curve_line("validation loss", series));
    } else {
      panels.push_back({{curve_line(name, series)}, {.title = name}});
    }
  }
  if (!losses.lines.empty()) panels.insert(panels.begin(), std::move(losses));
  // All panels show the same updates.
  for (PlotPanel& panel : panels)
    panel.options.x = {.label = "updates", .low = first, .high = last};
  return stacked_svg(title, panels);
}

}  // namespace heed::insight
