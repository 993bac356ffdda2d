// SPDX-License-Identifier: Apache-2.0
// local_m: Luong's monotonic local attention, whose window is at the step number.
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

struct LocalM {
  std::int64_t half_width = 10;  // D of the paper

  static Card card() {
    return {.name = "local_m",
            .summary =
                "Step t sees the keys at most half-width away from key t: input and output are "
                "assumed to run in parallel.",
            .formula = "|j - t| ≤ D",
            .source = "Luong et al. 2015 (local-m)",
            .examples = {"half-width=1"}};
  }
  void declare(Options& options) {
    options.add("half-width", half_width, "keys seen on either side of the centre")
        .range(0, kMostKeys);
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    return bind_interval(call, [reach = half_width](std::int64_t step) {
      return Range{step - reach, step + reach + 1};
    });
  }
};

const ListedPattern<LocalM> kListed;

}  // namespace
}  // namespace heed::attention
