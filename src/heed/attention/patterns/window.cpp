// SPDX-License-Identifier: Apache-2.0
// window: a query sees the keys around its own position.
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

struct Window {
  std::int64_t left = 64;
  std::int64_t right = -1;

  static Card card() {
    return {
        .name = "window",
        .summary = "A query sees its own position, left keys before it and right keys after it.",
        .formula = "i - left ≤ j ≤ i + right",
        .source = "Beltagy et al. 2020 (Longformer)",
        .examples = {"left=1", "left=2, right=0"}};
  }
  void declare(Options& options) {
    options.add("left", left, "keys seen before the query's position").range(0, kMostKeys);
    options.add("right", right, "keys seen after it; -1: as many as before").range(-1, kMostKeys);
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    const std::int64_t behind = right < 0 ? left : right;
    return bind_interval(call, [before = left, behind](std::int64_t position) {
      return Range{position - before, position + behind + 1};
    });
  }
};

const ListedPattern<Window> kListed;

}  // namespace
}  // namespace heed::attention
