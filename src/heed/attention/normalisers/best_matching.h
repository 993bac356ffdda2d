// SPDX-License-Identifier: Apache-2.0
// The best matching of queries and keys: every query has a key of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heed::attention {

// scores [rows, columns], no more rows than columns, -inf: forbidden. The column of each row, whose
// scores add up to most; of equal matchings that whose columns come first as a list. nullopt: there
// is none. O(rows^2 columns).
std::optional<std::vector<std::int32_t>> best_matching(std::span<const double> scores,
                                                       std::size_t columns);

}  // namespace heed::attention
