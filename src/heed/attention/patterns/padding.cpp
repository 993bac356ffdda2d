// SPDX-License-Identifier: Apache-2.0
// padding: keys beyond the length of their sequence are not seen.
#include "heed/attention/patterns/interval.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

struct Padding {
  static Card card() {
    return {.name = "padding",
            .summary =
                "The keys of each sequence up to its length, given with the batch; all of "
                "them when no lengths are given.",
            .formula = "j < length[b]",
            .source = "Sutskever et al. 2014"};
  }
  void declare(Options&) {}
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    if (!call.lengths.empty()) {
      check_data("padding", "lengths", call.lengths.size(), "batch", {call.batch});
    }
    for (const std::int32_t length : call.lengths) {
      if (length < 0) throw UsageError("padding: a length is {}: it takes 0 or more", length);
    }
    return bind_interval(
        call, [lengths = call.lengths, keys = call.keys](std::int64_t batch, std::int64_t) {
          return Range{0, lengths.empty() ? keys : lengths[static_cast<std::size_t>(batch)]};
        });
  }
};

const ListedPattern<Padding> kListed;

}  // namespace
}  // namespace heed::attention
