// SPDX-License-Identifier: Apache-2.0
// Boxes stacked from the input at the top to the output at the bottom.
#include "heed/insight/describe/description_svg.h"

#include <fmt/format.h>

#include <string_view>

#include "heed/base/svg.h"
#include "heed/base/text.h"
#include "heed/insight/describe/description_notes.h"

namespace heed::insight {
namespace {

constexpr double kWidth = 860;
constexpr double kLine = 22;    // height of a line of text
constexpr double kMargin = 12;  // around and between boxes
constexpr int kDeepest = 3;     // boxes in each other

std::string_view colour_of(const Part& part) {
  const auto says = [&](std::string_view word) {
    return part.note.find(word) != std::string::npos;
  };
  if (says("attention")) return "#fde3c8";
  if (says("feed-forward")) return "#d8ecd6";
  if (says("recurrent")) return "#e3dcf3";
  if (says("vector for every")) return "#d5e6f7";
  if (says("norm")) return "#f6f3c5";
  return "#ffffff";
}

// Parameters of a module are in its box as text; modules have boxes of their own.
bool has_boxes(const Part& part, int level) {
  if (level >= kDeepest) return false;
  for (const Part& inner : part.parts) {
    if (!inner.parts.empty()) return true;
  }
  return false;
}

std::string parameters_line(const Part& part) {
  std::string line = part.shape;
  for (const Part& inner : part.parts) {
    if (!line.empty()) line += "  ";
    const std::string& shape = inner.parts.empty() ? inner.shape : inner.parts.front().shape;
    line += fmt::format("{} {}", inner.name, shape);
  }
  return shorten(line, 110);
}

double height_of(const Part& part, int level) {
  double height = kLine + kMargin;
  if (!has_boxes(part, level)) return height + (parameters_line(part).empty() ? 0 : kLine);
  for (const Part& inner : part.parts) height += height_of(inner, level + 1) + kMargin / 2;
  return height;
}

struct PartBox {
  double x = 0;
  double y = 0;
  double width = 0;
};

std::string draw(const Part& part, const PartBox& box, int level) {
  const double height = height_of(part, level);
  std::string svg = fmt::format(
      "<rect class=\"part\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"4\" "
      "fill=\"{}\" stroke=\"#555\"{}/>\n",
      box.x, box.y, box.width, height, colour_of(part),
      part.trained ? "" : " stroke-dasharray=\"5 4\"");
  std::string title = part.name;
  if (part.copies > 1) title += fmt::format(" × {}", part.copies);
  if (!part.note.empty()) title += ": " + part.note;
  svg += svg_text(box.x + kMargin, box.y + kLine - 4, shorten(title, 90), "start");
  const std::string size =
      part.trained ? human_count(static_cast<double>(part.parameters)) : "fixed";
  svg += svg_text(box.x + box.width - kMargin, box.y + kLine - 4, size, "end");
  double y = box.y + kLine + kMargin / 2;
  if (!has_boxes(part, level) && parameters_line(part).empty()) return svg;
  if (!has_boxes(part, level)) {
    return svg + svg_text(box.x + kMargin, y + kLine / 2, parameters_line(part), "start");
  }
  for (const Part& inner : part.parts) {
    svg += draw(inner, {box.x + kMargin, y, box.width - 2 * kMargin}, level + 1);
    y += height_of(inner, level + 1) + kMargin / 2;
  }
  return svg;
}

}  // namespace

std::string description_svg(const Description& description) {
  std::string boxes;
  double y = 2 * kLine + kMargin;
  for (const Part& part : description.root.parts) {
    boxes += draw(part, {kMargin, y, kWidth - 2 * kMargin}, 1);
    y += height_of(part, 1) + kMargin;
  }
  const Cost& cost = description.cost;
  const std::string summary =
      fmt::format("{} parameters, {}; {} flops per token, {} for each key", cost.parameters,
                  human_bytes(static_cast<std::uint64_t>(cost.weight_bytes)),
                  human_count(cost.flops_per_token), human_count(cost.flops_per_key));
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"white\"/>\n",
      kWidth, y);
  svg += svg_text(kMargin, kLine, description.title, "start");
  svg += svg_text(kMargin, 2 * kLine, summary, "start");
  return svg + boxes + "</svg>\n";
}

}  // namespace heed::insight
