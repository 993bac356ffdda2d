// SPDX-License-Identifier: Apache-2.0
// big_bird: the blocks around a query, a few global ones and a few drawn at random.
#include "heed/attention/patterns/blocks.h"
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

constexpr std::int64_t kNone = 0;

struct BigBird {
  std::int64_t size = 64;
  std::int64_t window = 3;
  std::int64_t globals = 2;
  std::int64_t random = 3;
  Draw draw;

  static Card card() {
    return {.name = "big_bird",
            .summary =
                "In blocks: a query sees its own and window/2 on either side, the first "
                "globals blocks, which see everything, and random others drawn per head.",
            .formula =
                "b = ⌊i / size⌋, c = ⌊j / size⌋: |b - c| ≤ ⌊window / 2⌋ or "
                "min(b, c) < globals or c ∈ R(head, b)",
            .source = "Zaheer et al. 2020 (BigBird, internal global tokens)",
            .examples = {"size=2, window=1, globals=1, random=1",
                         "size=2, window=1, globals=1, random=1, from=past"}};
  }
  void declare(Options& options) {
    options.add("size", size, "positions in a block").range(1, kMostKeys);
    options.add("window", window, "blocks in a row around the query's own, which is one of them")
        .range(0, 1e6);
    options.add("globals", globals, "blocks from the first that all see and that see all")
        .range(0, 1e6);
    options.add("random", random, "further blocks drawn at random").range(0, 1e6);
    draw.declare(options);
  }

  bool counts_keys() const { return !draw.is_past(); }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    return bind_blocks(call, *this);
  }

  void rows(std::int64_t head, std::int64_t block, std::int64_t blocks, std::int64_t keys,
            RunList& runs) const {
    runs.clear();
    const auto append = [&](std::int64_t begin, std::int64_t end) {
      append_run(runs, {begin * size, std::min(end * size, keys), 1});
    };
    if (block < globals) return append(0, blocks);
    // Drawn are blocks that are neither global nor in the window: those between the two, then those
    // after the window.
    const bool past = draw.is_past();
    const std::int64_t left = std::max(block - window / 2, globals);
    const std::int64_t right = block + window / 2 + 1;
    const std::int64_t between = std::max((past ? left : std::min(left, blocks)) - globals, kNone);
    const std::int64_t behind = past ? 0 : std::max(blocks - right, kNone);
    append(0, globals);
    bool is_behind = false;
    for (const std::int64_t drawn :
         draw_distinct(block_random(draw.seed, head, block), between + behind, random)) {
      if (drawn >= between && !std::exchange(is_behind, true)) append(left, right);
      const std::int64_t at = is_behind ? right + drawn - between : globals + drawn;
      append(at, at + 1);
    }
    if (!is_behind) append(left, right);
  }
};

const ListedPattern<BigBird> kListed;

}  // namespace
}  // namespace heed::attention
