// SPDX-License-Identifier: Apache-2.0
// The best way through a table that never goes back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heed::attention {

// How far the key may be from that of the query before.
struct PathSteps {
  bool strict = false;    // at least one further
  std::int64_t jump = 0;  // at most so many further; 0: any number

  std::size_t least() const { return strict ? 1 : 0; }
  // Of `columns`: no step is longer.
  std::size_t most(std::size_t columns) const {
    return jump == 0 ? columns : static_cast<std::size_t>(jump);
  }
};

bool is_path(std::span<const std::int32_t> columns, const PathSteps& steps);

// scores [rows, columns], -inf: forbidden. The column of each row, whose scores add up to most; of
// equal paths that whose columns come first as a list. nullopt: there is no path. O(QK), with a
// jump O(QK jump).
std::optional<std::vector<std::int32_t>> best_path(std::span<const double> scores,
                                                   std::size_t columns, const PathSteps& steps);

}  // namespace heed::attention
