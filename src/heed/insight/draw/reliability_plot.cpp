// SPDX-License-Identifier: Apache-2.0
// A line plot with the diagonal beside the lines.
#include "heed/insight/draw/reliability_plot.h"

#include <fmt/format.h>

#include "heed/insight/draw/line_plot.h"

namespace heed::insight {

namespace {

PlotLine line_of(const NamedReliability& reliability) {
  PlotLine line{.name = reliability.name, .points = {}};
  for (const metrics::ReliabilityBin& bin : reliability.bins) {
    if (bin.count == 0) continue;
    line.points.push_back({bin.confidence, bin.accuracy,
                           fmt::format("{}: {} predictions, probability {:.3f}, right {:.3f}",
                                       reliability.name, bin.count, bin.confidence, bin.accuracy)});
  }
  return line;
}

}  // namespace

std::string reliability_svg(std::span<const ReliabilityPanel> panels, std::string_view title) {
  std::vector<PlotPanel> drawn;
  for (const ReliabilityPanel& panel : panels) {
    PlotPanel& mine = drawn.emplace_back();
    mine.lines.push_back({.name = "perfect", .points = {{0, 0}, {1, 1}}});
    for (const NamedReliability& line : panel.lines) mine.lines.push_back(line_of(line));
    mine.options = {.title = panel.title,
                    .x = {.label = "probability of the prediction", .low = 0, .high = 1},
                    .y = {.label = "share that is right", .low = 0, .high = 1}};
  }
  return stacked_svg(title, drawn);
}

}  // namespace heed::insight
