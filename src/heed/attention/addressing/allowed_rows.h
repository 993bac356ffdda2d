// SPDX-License-Identifier: Apache-2.0
// The rows of weights [B,H,Q,K] with the keys that each may see, one after the other.
#pragma once

#include <cstdint>
#include <span>

#include "heed/attention/compose/allowed_keys.h"
#include "heed/base/threads.h"

namespace heed::attention {

// Calls body(row, keys) for every row that has an allowed key; rows are shared out to threads.
template <typename Body>
void for_allowed_rows(const BoundPattern* pattern, const Shape& weights, const Body& body) {
  const ScoreSizes sizes(weights);
  parallel_for(static_cast<std::size_t>(sizes.rows()), sizes.grain(),
               [&](std::size_t begin, std::size_t end) {
                 AllowedKeys allowed(sizes.keys);
                 for (auto row = static_cast<std::int64_t>(begin);
                      row < static_cast<std::int64_t>(end); ++row) {
                   allowed.look(pattern, sizes, row);
                   if (!allowed.keys.empty()) body(row, allowed.keys);
                 }
               });
}

}  // namespace heed::attention
