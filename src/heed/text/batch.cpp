// SPDX-License-Identifier: Apache-2.0
// Batches: rows of one width, padded after their ends.
#include "heed/text/batch.h"

#include <algorithm>
#include <numeric>

namespace heed::text {

std::int64_t TokenRows::tokens() const {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

TokenRows pad_rows(std::span<const Tokens> sequences) {
  TokenRows result{.rows = static_cast<std::int64_t>(sequences.size())};
  for (const Tokens& sequence : sequences) {
    result.lengths.push_back(static_cast<std::int32_t>(sequence.size()));
    result.width = std::max(result.width, static_cast<std::int64_t>(sequence.size()));
  }
  result.ids.assign(static_cast<std::size_t>(result.rows * result.width), kPadding);
  auto row = result.ids.begin();
  for (const Tokens& sequence : sequences) {
    std::ranges::copy(sequence, row);
    row += result.width;
  }
  return result;
}

}  // namespace heed::text
