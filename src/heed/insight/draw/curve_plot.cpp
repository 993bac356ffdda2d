// SPDX-License-Identifier: Apache-2.0
// Series of a curve as lines of a plot.
#include "heed/insight/draw/curve_plot.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/text.h"
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

// The updates from the first point of all series to the last.
struct Updates {
  double first = std::numeric_limits<double>::infinity();
  double last = -std::numeric_limits<double>::infinity();

  void take(const training::Curve::Series& series) {
    for (const training::CurvePoint& point : series) {
      first = std::min(first, static_cast<double>(point.update));
      last = std::max(last, static_cast<double>(point.update));
    }
  }
  PlotAxis axis() const { return {.label = "updates", .low = first, .high = last}; }
};

// The names of the series that some run has, sorted.
std::vector<std::string> series_names(std::span<const NamedCurve> runs) {
  std::vector<std::string> names;
  for (const NamedCurve& run : runs) {
    for (const auto& [name, series] : run.curve.series()) names.push_back(name);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

std::string curves_svg(std::span<const NamedCurve> runs, std::string_view title,
                       std::span<const std::string> names) {
  const std::vector<std::string> known = series_names(runs);
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) > 0) continue;
    throw UsageError("no run has a curve \"{}\"{}; there are {}", name, did_you_mean(name, known),
                     join(known, ", "));
  }
  std::vector<PlotPanel> panels;
  Updates updates;
  for (const std::string& name : names.empty() ? std::span<const std::string>(known) : names) {
    PlotPanel panel{.options = {.title = name}};
    for (const NamedCurve& run : runs) {
      const auto found = run.curve.series().find(name);
      if (found == run.curve.series().end()) continue;
      updates.take(found->second);
      panel.lines.push_back(curve_line(run.name, found->second));
    }
    panels.push_back(std::move(panel));
  }
  for (PlotPanel& panel : panels) panel.options.x = updates.axis();
  return stacked_svg(title, panels);
}

std::string curve_svg(const training::Curve& curve, std::string_view title) {
  PlotPanel losses{.options = {.title = "loss"}};
  std::vector<PlotPanel> panels;
  Updates updates;
  for (const auto& [name, series] : curve.series()) {
    updates.take(series);
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
  for (PlotPanel& panel : panels) panel.options.x = updates.axis();
  return stacked_svg(title, panels);
}

}  // namespace heed::insight
