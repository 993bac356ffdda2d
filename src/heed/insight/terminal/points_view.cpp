// SPDX-License-Identifier: Apache-2.0
// A grid of characters, twice as many across as down, for they are twice as high.
#include "heed/insight/terminal/points_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed::insight {
namespace {

struct GridPlace {
  int column = 0;
  int row = 0;
};

constexpr int kLabelRoom = 4;  // beside the rightmost point

}  // namespace

std::string points_view(const corpora::Points& points, const corpora::Route& route,
                        const PointsViewOptions& options) {
  if (points.empty()) return {};
  corpora::Point low = points.front(), high = points.front();
  for (const corpora::Point& point : points) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  const double extent = std::max({high.x - low.x, high.y - low.y, 1e-300});
  const int columns = std::max(options.columns, 8), down = columns / 2;
  const auto place = [&](const corpora::Point& point) -> GridPlace {
    return {static_cast<int>(std::lround((point.x - low.x) / extent * (columns - 1))),
            static_cast<int>(std::lround((high.y - point.y) / extent * (down - 1)))};
  };
  const int rows = place({low.x, low.y}).row + 1;
  std::vector<std::vector<std::string>> grid(
      static_cast<std::size_t>(rows),
      std::vector<std::string>(static_cast<std::size_t>(columns + kLabelRoom), " "));
  const auto cell = [&](int row, int column) -> std::string& {
    return grid[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  };
  const std::size_t sides = options.closed && route.size() > 2 ? route.size()
                            : route.empty()                    ? 0
                                                               : route.size() - 1;
  for (std::size_t i = 0; i < sides; ++i) {
    const GridPlace a = place(points[static_cast<std::size_t>(route[i])]);
    const GridPlace b = place(points[static_cast<std::size_t>(route[(i + 1) % route.size()])]);
    const int steps = std::max({std::abs(b.column - a.column), 2 * std::abs(b.row - a.row), 1});
    for (int step = 0; step <= steps; step += 2) {
      const double share = static_cast<double>(step) / steps;
      cell(static_cast<int>(std::lround(a.row + share * (b.row - a.row))),
           static_cast<int>(std::lround(a.column + share * (b.column - a.column)))) = "·";
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const GridPlace at = place(points[i]);
    const std::string number = fmt::format("{}", i + 1);
    for (std::size_t k = 0; k < number.size() && k < kLabelRoom; ++k) {
      cell(at.row, at.column + static_cast<int>(k)) = number[k];
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : grid) {
    std::string line;
    for (const std::string& one : row) line += one;
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace heed::insight
