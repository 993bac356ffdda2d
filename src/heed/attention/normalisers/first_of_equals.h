// SPDX-License-Identifier: Apache-2.0
// Ties between structures: of those with the best score, the one whose choices come first as a
// list, whatever order an algorithm looks at them in.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace heed::attention {

// The column that each row chooses.
struct FoundStructure {
  std::vector<std::int32_t> choices = {};
  bool tied = false;  // whether two ways were equal somewhere, be it where it did not matter
};

inline double score_of_structure(std::span<const double> scores, std::size_t columns,
                                 std::span<const std::int32_t> choices) {
  double sum = 0;
  for (std::size_t row = 0; row < choices.size(); ++row) {
    sum += scores[row * columns + static_cast<std::size_t>(choices[row])];
  }
  return sum;
}

// solve(scores) gives a best structure of scores [rows, columns], -inf: forbidden; nullopt: there
// is none. Only where it met a tie, rows are tried with each earlier column, the first row first.
template <typename Solve>
std::optional<std::vector<std::int32_t>> first_of_equals(std::span<const double> scores,
                                                         std::size_t columns, const Solve& solve) {
  constexpr double kForbidden = -std::numeric_limits<double>::infinity();
  std::optional<FoundStructure> found = solve(scores);
  if (!found) return std::nullopt;
  if (!found->tied) return found->choices;
  const double best = score_of_structure(scores, columns, found->choices);
  std::vector<double> left(scores.begin(), scores.end());
  for (std::size_t row = 0; row < found->choices.size(); ++row) {
    const std::span<double> mine = std::span(left).subspan(row * columns, columns);
    const auto only = [&](std::size_t column) {
      for (std::size_t other = 0; other < columns; ++other) {
        mine[other] = other == column ? scores[row * columns + column] : kForbidden;
      }
    };
    const auto chosen = static_cast<std::size_t>(found->choices[row]);
    only(chosen);
    for (std::size_t column = 0; column < chosen; ++column) {
      if (scores[row * columns + column] == kForbidden) continue;
      only(column);
      std::optional<FoundStructure> other = solve(std::span<const double>(left));
      if (other && score_of_structure(scores, columns, other->choices) >= best) {
        found = std::move(other);
        break;
      }
      only(chosen);
    }
  }
  return found->choices;
}

}  // namespace heed::attention
