// SPDX-License-Identifier: Apache-2.0
// Axes, lines and names of the picture.
#include "heed/insight/length_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/svg.h"

namespace heed::insight {
namespace {

constexpr double kLeft = 64;
constexpr double kTop = 48;
constexpr double kWidth = 520;
constexpr double kHeight = 280;
constexpr std::array kColours = {"#08519c", "#d94801", "#238b45", "#6a51a3", "#525252"};
constexpr std::array kDashes = {"", "7 4", "2 3", "9 3 2 3", "4 2"};  // tell them apart in print

struct Axes {
  std::int64_t first = 0;
  std::int64_t last = 0;

  double x(double length) const {
    return kLeft + kWidth * (length - static_cast<double>(first)) /
                       static_cast<double>(std::max<std::int64_t>(1, last - first));
  }
  static double y(double bleu) { return kTop + kHeight * (1 - bleu / 100); }
};

double middle(const metrics::LengthBucket& bucket) {
  return static_cast<double>(bucket.first + bucket.last) / 2;
}

std::string grid(const Axes& axes, std::span<const LengthSeries> systems) {
  std::string svg;
  for (int bleu = 0; bleu <= 100; bleu += 20) {
    svg += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"#e6e6e6\"/>\n", kLeft,
                       Axes::y(bleu), kWidth);
    svg += svg_text(kLeft - 8, Axes::y(bleu) + 4, fmt::format("{}", bleu), "end");
  }
  const auto longest = std::ranges::max_element(
      systems, {}, [](const LengthSeries& system) { return system.buckets.size(); });
  for (const metrics::LengthBucket& bucket : longest->buckets) {
    const std::string range = bucket.first == bucket.last
                                  ? fmt::format("{}", bucket.first)
                                  : fmt::format("{}–{}", bucket.first, bucket.last);
    svg += svg_text(axes.x(middle(bucket)), kTop + kHeight + 18, range, "middle");
  }
  svg += svg_text(kLeft + kWidth / 2, kTop + kHeight + 40, "words of the source", "middle");
  return svg + svg_text(kLeft - 8, kTop - 14, "BLEU", "end");
}

std::string line_of(const Axes& axes, const LengthSeries& system, std::size_t index) {
  const std::string_view colour = kColours[index % kColours.size()];
  std::string points;
  std::string dots;
  for (const metrics::LengthBucket& bucket : system.buckets) {
    const double x = axes.x(middle(bucket)), y = Axes::y(bucket.bleu.score);
    points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x, y);
    dots += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}: BLEU {:.1f}, {} "
        "sentences of {} to {} words</title></circle>\n",
        x, y, colour, svg_escaped(system.name), bucket.bleu.score, bucket.sentences, bucket.first,
        bucket.last);
  }
  const double at = kTop + kHeight - 12 - 18 * static_cast<double>(index);
  return fmt::format(
             "<polyline class=\"system\" fill=\"none\" stroke=\"{0}\" stroke-width=\"2\" "
             "stroke-dasharray=\"{1}\" points=\"{2}\"/>\n{3}"
             "<path d=\"M{4:.1f} {5:.1f}h28\" stroke=\"{0}\" stroke-width=\"2\" "
             "stroke-dasharray=\"{1}\"/>\n",
             colour, kDashes[index % kDashes.size()], points, dots, kLeft + 12, at) +
         svg_text(kLeft + 48, at + 4, system.name, "start");
}

}  // namespace

std::string length_svg(std::span<const LengthSeries> systems, const LengthPlotOptions& options) {
  Axes axes{.first = 0, .last = 0};
  for (const LengthSeries& system : systems) {
    for (const metrics::LengthBucket& bucket : system.buckets) {
      axes.last = std::max(axes.last, bucket.last);
    }
  }
  if (axes.last == 0) throw UsageError("BLEU by length: there is no sentence to draw");
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"616\" height=\"384\" "
      "viewBox=\"0 0 616 384\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<title>{0}</title>\n<rect width=\"616\" height=\"384\" fill=\"white\"/>\n"
      "<text x=\"324\" y=\"24\" text-anchor=\"middle\" font-size=\"15\">{0}</text>\n",
      svg_escaped(options.title));
  svg += grid(axes, systems);
  if (options.trained > 0 && options.trained < axes.last) {
    const double x = axes.x(static_cast<double>(options.trained) + 0.5);
    svg += fmt::format(
        "<path class=\"trained\" d=\"M{:.1f} {:.1f}v{:.1f}\" stroke=\"#888888\" "
        "stroke-dasharray=\"4 4\"/>\n",
        x, kTop, kHeight);
    svg += svg_text(x + 6, kTop + 12, "longer than in training", "start");
  }
  for (std::size_t i = 0; i < systems.size(); ++i) svg += line_of(axes, systems[i], i);
  return svg + "</svg>\n";
}

}  // namespace heed::insight
