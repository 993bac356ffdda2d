// SPDX-License-Identifier: Apache-2.0
// random_blocks: the queries of a block see a few blocks of keys drawn at random.
#include "heed/attention/patterns/blocks.h"
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

struct RandomBlocks {
  std::int64_t size = 64;
  std::int64_t count = 3;
  Draw draw;

  static Card card() {
    return {.name = "random_blocks",
            .summary =
                "Each head's blocks of queries see count blocks of keys, drawn by the seed "
                "from all of the sequence or from those up to their own.",
            .formula = "⌊j / size⌋ ∈ R(head, ⌊i / size⌋), |R| = count",
            .source = "Zaheer et al. 2020 (BigBird)",
            .examples = {"size=2, count=2", "size=2, count=2, from=past"}};
  }
  void declare(Options& options) {
    options.add("size", size, "positions in a block").range(1, kMostKeys);
    options.add("count", count, "blocks of keys that a block of queries sees").range(0, 1e6);
    draw.declare(options);
  }
  bool counts_keys() const { return !draw.is_past(); }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    return bind_blocks(call, *this);
  }

  void rows(std::int64_t head, std::int64_t block, std::int64_t blocks, std::int64_t keys,
            RunList& runs) const {
    runs.clear();
    for (const std::int64_t drawn : draw_distinct(block_random(draw.seed, head, block),
                                                  draw.is_past() ? block + 1 : blocks, count)) {
      append_run(runs, {drawn * size, std::min((drawn + 1) * size, keys), 1});
    }
  }
};

const ListedPattern<RandomBlocks> kListed;

}  // namespace
}  // namespace heed::attention
