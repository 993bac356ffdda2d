// SPDX-License-Identifier: Apache-2.0
// Heatmaps: cells as wide as the screen allows, shaded by one ramp of colours or characters.
#include "heed/insight/terminal/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/trace/label.h"

namespace heed::insight {
namespace {

constexpr std::string_view kShades = " .:-=+*#%@";
constexpr std::size_t kNumberCell = 7;    // shade, gap, number, gap
constexpr std::size_t kLongestName = 16;  // of a row
constexpr std::size_t kHighestName = 12;  // of a key, upright
constexpr std::size_t kFewestCells = 8;   // beside each other before blocks are preferred

// What all cells of one picture share.
struct Style {
  std::size_t cell = 1;     // columns of a cell
  std::size_t per_row = 1;  // cells beside each other
  std::size_t margin = 0;   // columns of the row's name and the gap after it
  double largest = 0;       // magnitude of all weights
  Screen screen = {};
  bool masks = false;
};

std::string masked_cell(const Style& style) {
  if (style.cell < kNumberCell) return hatched(style.cell, style.screen);
  if (style.screen.colour == Colour::none) return pad_right("/", style.cell);
  return hatched(style.cell - 1, style.screen) + " ";
}

std::string coloured_cell(double weight, double share, const Style& style) {
  const bool wide = style.cell >= kNumberCell;
  const std::string text = wide ? weight_text(weight) : std::isnan(weight) ? "?" : "";
  // A gap of one column keeps wide cells apart.
  const std::string padded =
      wide ? pad_left(text, style.cell - 2) + " " : pad_left(text, style.cell);
  return shaded(padded, weight < 0 ? -share : share, style.screen) + (wide ? " " : "");
}

std::string cell_of(double weight, const Style& style) {
  if (style.masks && std::isnan(weight)) return masked_cell(style);
  const double share = style.largest > 0 ? std::abs(weight) / style.largest : 0;
  if (style.screen.colour != Colour::none) return coloured_cell(weight, share, style);
  char shade = '?';
  if (!std::isnan(share)) {
    const auto last = static_cast<double>(kShades.size() - 1);
    // Every weight but an exact zero leaves a mark.
    const double place = weight == 0 ? 0 : std::max(1.0, std::round(std::min(share, 1.0) * last));
    shade = kShades[static_cast<std::size_t>(place)];
  }
  if (style.cell >= kNumberCell) {
    return fmt::format("{}{} ", shade, pad_left(weight_text(weight), style.cell - 2));
  }
  if (style.cell == 1) return std::string(1, shade);
  return std::string{weight < 0 ? '-' : shade, shade};
}

std::vector<std::string> names_or_numbers(const std::vector<std::string>& names, std::int64_t count,
                                          std::string_view what) {
  if (!names.empty() && names.size() != static_cast<std::size_t>(count)) {
    throw UsageError("heatmap: {} names for {} {}", names.size(), count, what);
  }
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(count));
  for (const std::string& name : names) all.push_back(label_of_line(name));
  for (std::int64_t i = 0; names.empty() && i < count; ++i) all.push_back(fmt::format("{}", i));
  return all;
}

// The widest cells of which all fit beside each other; else blocks of narrow ones.
Style style_for(std::size_t keys, std::size_t name_width, const Screen& screen) {
  Style style;
  style.screen = screen;
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

std::string ended(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Keys begin .. end, which are beside each other.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::string names_across(const std::vector<std::string>& names, Block keys, const Style& style) {
  std::string line(style.margin, ' ');
  for (std::size_t k = keys.begin; k < keys.end; ++k) {
    line += pad_left(shorten(names[k], style.cell - 2), style.cell - 1) + " ";
  }
  return ended(line);
}

// Names from top to bottom, one letter to a line; empty where a letter is wider than a cell.
std::string names_upright(const std::vector<std::string>& names, Block keys, const Style& style) {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 0;
  for (std::size_t k = keys.begin; k < keys.end; ++k) {
    columns.push_back(letters_of(shorten(names[k], kHighestName)));
    for (const std::string& letter : columns.back()) {
      if (display_width(letter) > style.cell) return "";
    }
    height = std::max(height, columns.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string letters(style.margin, ' ');
    for (const std::vector<std::string>& column : columns) {
      const std::size_t above = height - column.size();
      letters += pad_right(line < above ? "" : column[line - above], style.cell);
    }
    text += ended(letters);
  }
  return text;
}

// The number of the first key and of every tenth.
std::string numbers_across(Block keys, const Style& style) {
  std::string line(style.margin, ' ');
  for (std::size_t k = keys.begin; k < keys.end; ++k) {
    if (k != keys.begin && k % 10 != 0) continue;
    const std::string label = fmt::format("{}", k);
    const std::size_t at = style.margin + (k - keys.begin) * style.cell;
    if (at < line.size() + (k == keys.begin ? 0 : 1)) continue;  // it would touch the one before
    if (at + label.size() > style.margin + (keys.end - keys.begin) * style.cell &&
        k != keys.begin) {
      continue;
    }
    line = pad_right(line, at);
    line += label;
  }
  return ended(line);
}

// "0 the  1 cat  2 sat", in lines as wide as the screen.
std::string list_of_names(const std::vector<std::string>& names, const Screen& screen) {
  std::string text = "\n";
  std::size_t column = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string entry =
        shorten(fmt::format("{} {}", k, names[k]), std::max<std::size_t>(screen.width, 1));
    const std::size_t width = display_width(entry);
    if (column > 0 && column + 2 + width > screen.width) {
      text += "\n";
      column = 0;
    }
    text += (column > 0 ? "  " : "") + entry;
    column += width + (column > 0 ? 2 : 0);
  }
  return text + "\n";
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
  style.masks = options.masks;
  for (const Real value : values) {
    if (std::isfinite(value)) style.largest = std::max(style.largest, std::abs(double{value}));
  }
  style.largest = ColourMap(options.screen.colours).largest(style.largest);

  std::string text;
  bool numbered = false;  // whether names are left to a list
  for (std::size_t begin = 0; begin < columns.size(); begin += style.per_row) {
    const std::size_t end = std::min(begin + style.per_row, columns.size());
    if (begin > 0) text += "\n";
    const bool wide = style.cell >= kNumberCell;
    std::string heading;
    if (wide) heading = names_across(columns, {begin, end}, style);
    if (!wide && !options.columns.empty()) heading = names_upright(columns, {begin, end}, style);
    numbered |= heading.empty() && !options.columns.empty();
    text += heading.empty() ? numbers_across({begin, end}, style) : heading;
    for (std::size_t q = 0; q < rows.size(); ++q) {
      std::string line = pad_right(shorten(rows[q], style.margin - 2), style.margin);
      for (std::size_t k = begin; k < end; ++k) {
        line += cell_of(values[q * columns.size() + k], style);
      }
      text += ended(line);
    }
  }
  return numbered ? text + list_of_names(columns, options.screen) : text;
}

}  // namespace heed::insight
