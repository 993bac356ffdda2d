// SPDX-License-Identifier: Apache-2.0
// Patterns in which all queries of a block see the same keys, and blocks drawn at random.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "heed/attention/pattern.h"
#include "heed/attention/run_list.h"
#include "heed/base/random.h"

namespace heed::attention {

// Which blocks a draw may take: all of the sequence, or those up to the query's own. The second
// does not depend on how many keys there are, so that a growing cache sees the same blocks again.
enum class DrawFrom { all, past };

// `count` of the numbers 0 .. n - 1, each once and in ascending order, all equally likely; all n
// when count is larger. Floyd's algorithm (Bentley & Floyd 1987): count draws, whatever n is.
inline std::vector<std::int64_t> draw_distinct(Random random, std::int64_t n, std::int64_t count) {
  std::vector<std::int64_t> drawn;
  for (std::int64_t last = std::max<std::int64_t>(n - count, 0); last < n; ++last) {
    const auto value =
        static_cast<std::int64_t>(random.integer(static_cast<std::uint64_t>(last) + 1));
    const auto place = std::ranges::lower_bound(drawn, value);
    if (place != drawn.end() && *place == value) {
      drawn.push_back(last);  // larger than all drawn so far
    } else {
      drawn.insert(place, value);
    }
  }
  return drawn;
}

// The numbers of one head's query block, the same for every sequence of a batch.
inline Random block_random(std::int64_t seed, std::int64_t head, std::int64_t block) {
  return Random(static_cast<std::uint64_t>(seed),
                static_cast<std::uint64_t>(head) << 40 | static_cast<std::uint64_t>(block));
}

// `rows(head, block, runs)` gives the keys that the queries of a block see. Draws are repeated
// rather than kept: a table of them could grow to Q x K.
template <typename Rows>
class BlockPattern final : public BoundPattern {
 public:
  BlockPattern(const PatternCall& call, std::int64_t size, Rows rows)
      : first_query_(call.first_query), size_(size), rows_(std::move(rows)) {}

  Cover classify(std::int64_t, std::int64_t head, Range queries, Range keys) const override {
    RunList runs;
    const std::int64_t first = block_of(queries.begin);
    const std::int64_t last = block_of(queries.end - 1);
    rows_(head, first, runs);
    Cover result = cover(runs, keys);
    for (std::int64_t block = first + 1; block <= last && result != Cover::mixed; ++block) {
      rows_(head, block, runs);
      result = together(result, cover(runs, keys));
    }
    return result;
  }

  void runs(std::int64_t, std::int64_t head, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    rows_(head, block_of(query), runs);
  }

 private:
  std::int64_t block_of(std::int64_t query) const { return (first_query_ + query) / size_; }
  std::int64_t first_query_;
  std::int64_t size_;
  Rows rows_;
};

template <typename Rows>
std::unique_ptr<BoundPattern> bind_blocks(const PatternCall& call, std::int64_t size, Rows rows) {
  return std::make_unique<BlockPattern<Rows>>(call, size, std::move(rows));
}

}  // namespace heed::attention
