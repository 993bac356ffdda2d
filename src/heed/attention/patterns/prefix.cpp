// SPDX-License-Identifier: Apache-2.0
// prefix: the first positions see each other both ways, those after them only what came before.
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

struct Prefix {
  std::int64_t length = 1;

  static Card card() {
    return {.name = "prefix",
            .summary =
                "Every query sees the first n positions, which see nothing else; after them it is "
                "causal.",
            .formula = "j < max(n, i + 1)",
            .source = "Raffel et al. 2020 (T5, prefix language model)",
            .promises = {Promise::first_keys},
            .examples = {"n=2"}};
  }
  void declare(Options& options) {
    options.add("n", length, "positions of the prefix").range(0, kMostKeys);
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    return bind_interval(call, [length = length](std::int64_t position) {
      return Range{0, std::max(length, position + 1)};
    });
  }
};

const ListedPattern<Prefix> kListed;

}  // namespace
}  // namespace heed::attention
