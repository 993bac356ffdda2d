// SPDX-License-Identifier: Apache-2.0
// Buckets of lengths as points of a line plot, each at its middle.
#include "heed/insight/draw/length_plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/insight/draw/line_plot.h"

namespace heed::insight {
namespace {

double middle(const metrics::LengthBucket& bucket) {
  return static_cast<double>(bucket.first + bucket.last) / 2;
}

PlotLine line_of(const LengthSeries& system) {
  PlotLine line{.name = system.name};
  for (const metrics::LengthBucket& bucket : system.buckets) {
    line.points.push_back(
        {middle(bucket), bucket.bleu.score,
         fmt::format("BLEU {:.1f}, {} sentences of {} to {} words", bucket.bleu.score,
                     bucket.sentences, bucket.first, bucket.last)});
  }
  return line;
}

// The ranges of the system that has the most of them.
std::vector<PlotTick> ranges(std::span<const LengthSeries> systems) {
  const auto longest = std::ranges::max_element(
      systems, {}, [](const LengthSeries& system) { return system.buckets.size(); });
  std::vector<PlotTick> ticks;
  for (const metrics::LengthBucket& bucket : longest->buckets) {
    ticks.push_back({middle(bucket), bucket.first == bucket.last
                                         ? fmt::format("{}", bucket.first)
                                         : fmt::format("{}–{}", bucket.first, bucket.last)});
  }
  return ticks;
}

}  // namespace

std::string length_svg(std::span<const LengthSeries> systems, const LengthPlotOptions& options) {
  std::int64_t last = 0;
  std::vector<PlotLine> lines;
  for (const LengthSeries& system : systems) {
    lines.push_back(line_of(system));
    for (const metrics::LengthBucket& bucket : system.buckets) last = std::max(last, bucket.last);
  }
  if (last == 0) throw UsageError("BLEU by length: there is no sentence to draw");
  LinePlotOptions plot{.title = options.title,
                       .x = {.label = "words of the source",
                             .high = static_cast<double>(last),
                             .ticks = ranges(systems)},
                       .y = {.label = "BLEU", .high = 100}};
  if (options.trained > 0 && options.trained < last) {
    plot.mark = {static_cast<double>(options.trained) + 0.5, "longer than in training"};
  }
  return line_svg(lines, plot);
}

}  // namespace heed::insight
