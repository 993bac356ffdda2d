// SPDX-License-Identifier: Apache-2.0
// Bars from zero to the value, one scale for each panel.
#include "heed/insight/draw/comparison_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/svg.h"
#include "heed/base/text.h"
#include "heed/insight/describe/description_notes.h"

namespace heed::insight {
namespace {

constexpr double kLeft = 200;   // of the bars; names are before them
constexpr double kWidth = 420;  // of the longest
constexpr double kRow = 28;
constexpr double kHead = 36;  // of a panel
constexpr double kWhole = kLeft + kWidth + 120;

std::string panel_of(const ComparedPanel& panel, double top) {
  constexpr std::array<std::string_view, 4> kColours = {"#4c72b0", "#dd8452", "#55a868", "#8172b3"};
  double largest = 0;
  for (const ComparedBar& bar : panel.bars) largest = std::max({largest, bar.value, bar.high});
  const double scale = largest > 0 ? kWidth / largest : 0;
  std::string svg = svg_text(kLeft, top + kHead - 12, panel.measure, "start");
  for (std::size_t i = 0; i < panel.bars.size(); ++i) {
    const ComparedBar& bar = panel.bars[i];
    const double y = top + kHead + static_cast<double>(i) * kRow;
    svg += svg_text(kLeft - 10, y + 14, shorten(bar.name, 26), "end");
    svg += fmt::format(
        "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"18\" "
        "fill=\"{}\"/>\n",
        kLeft, y, std::max(0.0, bar.value) * scale, kColours[i % kColours.size()]);
    if (bar.high > bar.low) {
      svg += fmt::format(
          "<path class=\"interval\" d=\"M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}v8M{1:.1f} "
          "{3:.1f}v8\" stroke=\"#222\" fill=\"none\"/>\n",
          kLeft + bar.low * scale, kLeft + bar.high * scale, y + 9, y + 5);
    }
    svg += svg_text(kLeft + std::max(bar.value, bar.high) * scale + 8, y + 14,
                    bar.value < 1e4 ? fmt::format("{:.4g}", bar.value) : human_count(bar.value),
                    "start");
  }
  return svg;
}

}  // namespace

std::string comparison_svg(std::span<const ComparedPanel> panels) {
  if (panels.empty()) throw UsageError("comparison: no measure to draw");
  std::string drawn;
  double top = 8;
  for (const ComparedPanel& panel : panels) {
    if (panel.bars.empty()) throw UsageError("comparison: {} has no system", panel.measure);
    drawn += panel_of(panel, top);
    top += kHead + static_cast<double>(panel.bars.size()) * kRow;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "font-family=\"sans-serif\" font-size=\"13\">\n"
             "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"white\"/>\n",
             kWhole, top + 12) +
         drawn + "</svg>\n";
}

}  // namespace heed::insight
