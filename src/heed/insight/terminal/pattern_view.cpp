// SPDX-License-Identifier: Apache-2.0
// Half blocks: the upper pixel, the lower, both or none.
#include "heed/insight/terminal/pattern_view.h"

#include <algorithm>

#include "heed/base/text.h"

namespace heed::insight {
namespace {

constexpr std::size_t kBetweenCells = 3;

std::string_view cell_of(double upper, double lower) {
  if (upper == 0 || lower == 0) return "░";
  if (upper > 0) return lower > 0 ? "█" : "▀";
  return lower > 0 ? "▄" : " ";
}

}  // namespace

std::string pattern_view(std::span<const ViewedPattern> patterns, std::int64_t columns,
                         std::size_t width) {
  if (patterns.empty() || columns < 1) return {};
  std::size_t column = static_cast<std::size_t>(columns);
  for (const ViewedPattern& one : patterns) column = std::max(column, display_width(one.title));
  const std::size_t beside = std::max<std::size_t>(1, (width + kBetweenCells) / (column + kBetweenCells));
  const auto across = static_cast<std::size_t>(columns);
  const std::size_t rows = patterns.front().values.size() / across;
  std::string text;
  for (std::size_t first = 0; first < patterns.size(); first += beside) {
    const auto block = patterns.subspan(first, std::min(beside, patterns.size() - first));
    if (first > 0) text += "\n";
    const auto add_line = [&](const auto& piece_of) {
      std::string line;
      for (const ViewedPattern& one : block) {
        line += pad_right(piece_of(one), column) + std::string(kBetweenCells, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    };
    add_line([](const ViewedPattern& one) { return one.title; });
    for (std::size_t row = 0; row < rows; row += 2) {
      add_line([&](const ViewedPattern& one) {
        std::string piece;
        for (std::size_t x = 0; x < across; ++x) {
          const double upper = one.values[row * across + x];
          const bool last = row + 1 == rows;  // nothing below it
          piece +=
              cell_of(upper, last ? (upper == 0 ? 0 : -1) : one.values[(row + 1) * across + x]);
        }
        return piece;
      });
    }
  }
  return text;
}

}  // namespace heed::insight
