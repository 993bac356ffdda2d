// SPDX-License-Identifier: Apache-2.0
// Heatmaps: cells as wide as the screen allows, shaded by one ramp of colours or characters.
#include "heed/insight/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::insight {
namespace {

constexpr std::string_view kShades = " .:-=+*#%@";
constexpr std::size_t kNumberCell = 7;    // shade, gap, number, gap
constexpr std::size_t kLongestName = 16;  // of a row
constexpr std::size_t kFewestCells = 8;   // beside each other before blocks are preferred

// What all cells of one picture share.
struct Style {
  std::size_t cell = 1;     // columns of a cell
  std::size_t per_row = 1;  // cells beside each other
  std::size_t margin = 0;   // columns of the row's name and the gap behind it
  double largest = 0;       // magnitude of all weights
  Colour colour = Colour::none;
};

std::string cell_of(double weight, const Style& style) {
  const double share = style.largest > 0 ? std::abs(weight) / style.largest : 0;
  const bool wide = style.cell >= kNumberCell;
  if (style.colour != Colour::none) {
    const std::string text = wide ? weight_text(weight) : std::isnan(weight) ? "?" : "";
    // A gap of one column keeps wide cells apart.
    const std::string padded =
        wide ? pad_left(text, style.cell - 2) + " " : pad_left(text, style.cell);
    return shaded(padded, weight < 0 ? -share : share, style.colour) + (wide ? " " : "");
  }
  char shade = '?';
  if (!std::isnan(share)) {
    const auto last = static_cast<double>(kShades.size() - 1);
    // Every weight but an exact zero leaves a mark.
    const double place = weight == 0 ? 0 : std::max(1.0, std::round(std::min(share, 1.0) * last));
    shade = kShades[static_cast<std::size_t>(place)];
  }
  if (wide) return fmt::format("{}{} ", shade, pad_left(weight_text(weight), style.cell - 2));
  if (style.cell == 1) return std::string(1, shade);
  return std::string{weight < 0 ? '-' : shade, shade};
}

std::vector<std::string> names_or_numbers(const std::vector<std::string>& names, std::int64_t count,
                                          std::string_view what) {
  if (!names.empty() && names.size() != static_cast<std::size_t>(count)) {
    throw UsageError("heatmap: {} names for {} {}", names.size(), count, what);
  }
  std::vector<std::string> all = names;
  for (std::int64_t i = 0; names.empty() && i < count; ++i) all.push_back(fmt::format("{}", i));
  return all;
}

// The widest cells of which all fit beside each other; else blocks of narrow ones.
Style style_for(std::size_t keys, std::size_t name_width, const Screen& screen) {
  Style style;
  style.colour = screen.colour;
  style.margin = std::min(name_width, kLongestName) + 2;
  const std::size_t room = std::max(screen.width, style.margin + kFewestCells) - style.margin;
  style.cell = 1;
  for (const std::size_t cell : {kNumberCell, std::size_t{2}}) {
    if (keys * cell <= room) {
      style.cell = cell;
      break;
    }
  }
  style.per_row = room / style.cell;
  return style;
}

// Names of keys above cells wide enough for them; otherwise the number of every tenth key.
std::string heading(const std::vector<std::string>& names, std::size_t begin, std::size_t end,
                    const Style& style) {
  std::string line(style.margin, ' ');
  if (style.cell >= kNumberCell) {
    for (std::size_t k = begin; k < end; ++k) {
      line += pad_left(shorten(names[k], style.cell - 2), style.cell - 1) + " ";
    }
  } else {
    for (std::size_t k = begin; k < end; ++k) {
      if (k != begin && k % 10 != 0) continue;
      const std::string label = fmt::format("{}", k);
      const std::size_t at = style.margin + (k - begin) * style.cell;
      if (at < line.size() + (k == begin ? 0 : 1)) continue;  // it would touch the one before
      if (at + label.size() > style.margin + (end - begin) * style.cell && k != begin) continue;
      line = pad_right(line, at) + label;
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string heatmap(const Tensor& weights, const HeatmapOptions& options) {
  if (weights.rank() != 2) {
    throw UsageError("heatmap: weights {}; it takes [queries, keys]", weights.shape().text());
  }
  const std::vector<std::string> rows = names_or_numbers(options.rows, weights.size(0), "queries");
  const std::vector<std::string> columns =
      names_or_numbers(options.columns, weights.size(1), "keys");
  const std::vector<Real> values = weights.values();
  std::size_t name_width = 0;
  for (const std::string& name : rows) name_width = std::max(name_width, display_width(name));

  Style style = style_for(columns.size(), name_width, options.screen);
  for (const Real value : values) {
    if (std::isfinite(value)) style.largest = std::max(style.largest, std::abs(double{value}));
  }

  std::string text;
  for (std::size_t begin = 0; begin < columns.size(); begin += style.per_row) {
    const std::size_t end = std::min(begin + style.per_row, columns.size());
    if (begin > 0) text += "\n";
    text += heading(columns, begin, end, style);
    for (std::size_t q = 0; q < rows.size(); ++q) {
      std::string line = pad_right(shorten(rows[q], style.margin - 2), style.margin);
      for (std::size_t k = begin; k < end; ++k) {
        line += cell_of(values[q * columns.size() + k], style);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace heed::insight
