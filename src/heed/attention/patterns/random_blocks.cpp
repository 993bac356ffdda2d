// SPDX-License-Identifier: Apache-2.0
// random_blocks: the queries of a block see a few blocks of keys drawn at random.
#include "heed/attention/patterns/blocks.h"
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

struct RandomBlocks {
  std::int64_t size = 64;
  std::int64_t count = 3;
  std::int64_t seed = 0;
  DrawFrom from = DrawFrom::all;

  static Card card() {
    return {.name = "random_blocks",
            .summary =
                "Each head's blocks of queries see count blocks of keys, drawn by the seed "
                "from all of the sequence or from those up to their own.",
            .formula = "⌊j / size⌋ ∈ R(head, ⌊i / size⌋), |R| = count",
            .source = "Zaheer et al. 2020 (BigBird)"};
  }
  void declare(Options& options) {
    options.add("size", size, "positions in a block").range(1, kMostKeys);
    options.add("count", count, "blocks of keys that a block of queries sees").range(0, 1e6);
    options.add("seed", seed, "another seed draws other blocks").at_least(0);
    options.add("from", from, {"all", "past"},
                "blocks to draw from; those of the past stay the same while keys are added");
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    const std::int64_t blocks = (call.all_keys() + size - 1) / size;
    return bind_blocks(call, size,
                       [part = *this, blocks, keys = call.keys](std::int64_t head,
                                                                std::int64_t block, RunList& runs) {
                         const bool past = part.from == DrawFrom::past;
                         part.draw(block_random(part.seed, head, block), past ? block + 1 : blocks,
                                   keys, runs);
                       });
  }
  void draw(const Random& random, std::int64_t blocks, std::int64_t keys, RunList& runs) const {
    runs.clear();
    for (const std::int64_t block : draw_distinct(random, blocks, count)) {
      append_run(runs, {block * size, std::min((block + 1) * size, keys), 1});
    }
  }
};

const ListedPattern<RandomBlocks> kListed;

}  // namespace
}  // namespace heed::attention
