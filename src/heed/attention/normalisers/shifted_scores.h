// SPDX-License-Identifier: Apache-2.0
// Scores whose exponentials can be added up: the highest of each row taken away, which changes no
// weight where every structure has one cell of each row.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace heed::attention {

struct ShiftedScores {
  std::vector<double> scores;  // [rows, columns], at most 0; -inf: forbidden
  double taken = 0;            // the sum of what was taken away
  double scale = 1;            // what the rest was multiplied by

  ShiftedScores(std::span<const double> given, std::size_t columns)
      : scores(given.begin(), given.end()) {
    double lowest = 0;
    for (auto row = scores.begin(); row != scores.end();
         row += static_cast<std::ptrdiff_t>(columns)) {
      const auto end = row + static_cast<std::ptrdiff_t>(columns);
      const double top = *std::max_element(row, end);
      if (!std::isfinite(top)) continue;
      taken += top;
      for (auto score = row; score != end; ++score) {
        *score -= top;
        if (std::isfinite(*score)) lowest = std::min(lowest, *score);
      }
    }
    // Beyond this a step of rounding is larger than .002: nothing is lost by taking the scores
    // nearer together, and the exponents of Wide stay whole numbers.
    constexpr double kWidest = 1e13;
    if (lowest >= -kWidest) return;
    scale = -kWidest / lowest;
    for (double& score : scores) score *= scale;
  }
};

}  // namespace heed::attention
