// SPDX-License-Identifier: Apache-2.0
// block: positions are cut into blocks, and a query sees its own block.
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

struct Block {
  std::int64_t size = 64;

  static Card card() {
    return {.name = "block",
            .summary = "Positions are divided into blocks of one size; a query sees its own block.",
            .formula = "⌊j / size⌋ = ⌊i / size⌋",
            .source = "Qiu et al. 2020 (Blockwise)",
            .examples = {"size=2"}};
  }
  void declare(Options& options) {
    options.add("size", size, "positions in a block").range(1, kMostKeys);
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    return bind_interval(call, [size = size](std::int64_t position) {
      const std::int64_t begin = position / size * size;
      return Range{begin, begin + size};
    });
  }
};

const ListedPattern<Block> kListed;

}  // namespace
}  // namespace heed::attention
