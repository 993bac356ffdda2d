// SPDX-License-Identifier: Apache-2.0
// causal: a query sees the keys up to its own position.
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

enum class Align { start, end };

struct Causal {
  Align align = Align::start;

  static Card card() {
    return {.name = "causal",
            .summary =
                "A query sees itself and what came before; with align=end the last query is at the "
                "last key.",
            .formula = "j ≤ i + s; s = 0 (start) or K - Q (end)",
            .source = "Vaswani et al. 2017",
            .promises = {Promise::first_keys},
            .examples = {"align=end"}};
  }
  void declare(Options& options) {
    options.add("align", align, {"start", "end"},
                "which ends of queries and keys are at the same position");
  }
  bool counts_keys() const { return align == Align::end; }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    const std::int64_t shift = align == Align::end ? call.all_keys() - call.all_queries() : 0;
    return bind_interval(call, [shift](std::int64_t position) {
      return Range{0, position + shift + 1};
    });
  }
};

const ListedPattern<Causal> kListed;

}  // namespace
}  // namespace heed::attention
