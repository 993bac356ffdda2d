// SPDX-License-Identifier: Apache-2.0
// Patterns in which all queries of a block see the same keys, and blocks drawn at random.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "heed/attention/pattern.h"
#include "heed/attention/patterns/run_list.h"
#include "heed/base/random.h"

namespace heed::attention {

// Which blocks a draw may take: all of the sequence, or those up to the query's own. The second
// does not depend on how many keys there are, so that a growing cache sees the same blocks again.
enum class DrawFrom { all, past };

// How blocks are drawn, as options of a pattern.
struct Draw {
  std::int64_t seed = 0;
  DrawFrom from = DrawFrom::all;

  bool is_past() const { return from == DrawFrom::past; }
  void declare(Options& options) {
    options.add("seed", seed, "another seed draws other blocks").at_least(0);
    options.add("from", from, {"all", "past"},
                "blocks to draw from; those of the past stay the same while keys are added");
  }
};

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

// A part with a `size` of blocks, whose `rows(head, block, blocks, keys, runs)` gives the keys that
// the queries of one of all blocks see. Draws are repeated rather than kept: a table of them could
// grow to Q x K.
template <typename Part>
class BlockPattern final : public BoundPattern {
 public:
  BlockPattern(const PatternCall& call, const Part& part)
      : part_(part),
        first_query_(call.first_query),
        keys_(call.keys),
        blocks_((call.all_keys() + part.size - 1) / part.size) {}

  TileCover classify(std::int64_t, std::int64_t head, Range queries, Range keys) const override {
    RunList runs;
    const std::int64_t first = block_of(queries.begin);
    const std::int64_t last = block_of(queries.end - 1);
    part_.rows(head, first, blocks_, keys_, runs);
    TileCover result = cover(runs, keys);
    for (std::int64_t block = first + 1; block <= last && result != TileCover::mixed; ++block) {
      part_.rows(head, block, blocks_, keys_, runs);
      result = together(result, cover(runs, keys));
    }
    return result;
  }

  void runs(std::int64_t, std::int64_t head, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    part_.rows(head, block_of(query), blocks_, keys_, runs);
  }

 private:
  std::int64_t block_of(std::int64_t query) const { return (first_query_ + query) / part_.size; }
  Part part_;
  std::int64_t first_query_, keys_, blocks_;
};

template <typename Part>
std::unique_ptr<BoundPattern> bind_blocks(const PatternCall& call, const Part& part) {
  return std::make_unique<BlockPattern<Part>>(call, part);
}

}  // namespace heed::attention
