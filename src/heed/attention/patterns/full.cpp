// SPDX-License-Identifier: Apache-2.0
// full: every query sees every key.
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

struct Full {
  static Card card() {
    return {.name = "full",
            .summary = "Every query sees every key.",
            .formula = "all j",
            .source = "Bahdanau et al. 2015",
            .promises = {Promise::first_keys}};
  }
  void declare(Options&) {}
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    return bind_interval(call, [keys = call.keys](std::int64_t) { return Range{0, keys}; });
  }
};

const ListedPattern<Full> kListed;

}  // namespace
}  // namespace heed::attention
