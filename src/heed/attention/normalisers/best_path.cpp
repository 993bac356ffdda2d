// SPDX-License-Identifier: Apache-2.0
// Viterbi from the last row, so that the first row is the first to choose.
#include "heed/attention/normalisers/best_path.h"

#include <algorithm>
#include <limits>

namespace heed::attention {

bool is_path(std::span<const std::int32_t> columns, const PathSteps& steps) {
  for (std::size_t row = 1; row < columns.size(); ++row) {
    const std::int64_t step = std::int64_t{columns[row]} - columns[row - 1];
    if (step < (steps.strict ? 1 : 0) || (steps.jump > 0 && step > steps.jump)) return false;
  }
  return true;
}

std::optional<std::vector<std::int32_t>> best_path(std::span<const double> scores,
                                                   std::size_t columns, const PathSteps& steps) {
  constexpr double kNoPath = -std::numeric_limits<double>::infinity();
  const std::size_t rows = columns == 0 ? 0 : scores.size() / columns;
  if (rows == 0) return std::vector<std::int32_t>();
  std::vector<double> best(scores.begin(), scores.end());  // from here to the last row
  for (std::size_t row = rows - 1; row-- > 0;) {
    const double* const after = best.data() + (row + 1) * columns;
    double running = kNoPath;
    for (std::size_t column = columns; column-- > 0;) {
      if (steps.jump == 0) {
        if (column + steps.least() < columns) {
          running = std::max(running, after[column + steps.least()]);
        }
      } else {
        const std::size_t first = std::min(columns, column + steps.least());
        const std::size_t last = std::min(columns, column + steps.most(columns) + 1);
        running = first < last ? *std::max_element(after + first, after + last) : kNoPath;
      }
      best[row * columns + column] += running;
    }
  }
  std::vector<std::int32_t> path;
  std::size_t first = 0, last = columns;
  for (std::size_t row = 0; row < rows; ++row) {
    const double* const here = best.data() + row * columns;
    const double* const found = std::max_element(here + first, here + std::max(first, last));
    if (first >= last || *found == kNoPath) return std::nullopt;
    const auto column = static_cast<std::size_t>(found - here);
    path.push_back(static_cast<std::int32_t>(column));
    first = column + steps.least();
    last = std::min(columns, column + steps.most(columns) + 1);
  }
  return path;
}

}  // namespace heed::attention
