// SPDX-License-Identifier: Apache-2.0
// padding: keys beyond the length of their sequence are not seen.
#include <algorithm>
#include <span>

#include "heed/attention/patterns/interval.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// A sequence that looks at itself: its padding neither is seen nor sees, and costs nothing.
class BoundPadding final : public BoundPattern {
 public:
  explicit BoundPadding(const PatternCall& call)
      : lengths_(call.lengths), first_query_(call.first_query), keys_(call.keys) {}

  TileCover classify(std::int64_t batch, std::int64_t, Range queries, Range keys) const override {
    const std::int64_t length = lengths_[static_cast<std::size_t>(batch)];
    if (first_query_ + queries.begin >= length || keys.begin >= length) return TileCover::empty;
    const bool full = first_query_ + queries.end <= length && keys.end <= length;
    return full ? TileCover::full : TileCover::mixed;
  }
  void runs(std::int64_t batch, std::int64_t, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    const std::int64_t length = lengths_[static_cast<std::size_t>(batch)];
    runs.clear();
    if (first_query_ + query < length) append_run(runs, {0, std::min(length, keys_), 1});
  }
  bool alike_in_heads() const override { return true; }

 private:
  std::span<const std::int32_t> lengths_;
  std::int64_t first_query_, keys_;
};

struct Padding {
  enum class Of { keys, both };
  Of of = Of::keys;

  static Card card() {
    return {.name = "padding",
            .summary =
                "The keys of each sequence up to its length, given with the batch; all of "
                "them when no lengths are given.",
            .formula = "j < length[b]; of both: and i < length[b]",
            .source = "Sutskever et al. 2014",
            .promises = {Promise::first_keys},
            .reads = {Given::lengths},
            .examples = {"of=both"}};
  }
  void declare(Options& options) {
    options.add("of", of, {"keys", "both"},
                "whose padding is hidden; both, where queries and keys are one sequence: queries "
                "beyond its length see nothing and cost nothing");
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    if (!call.lengths.empty()) {
      check_data("padding", "lengths", call.lengths.size(), "batch", {call.batch});
    }
    for (const std::int32_t length : call.lengths) {
      if (length < 0) throw UsageError("padding: a length is {}: it takes 0 or more", length);
    }
    if (of == Of::both && !call.lengths.empty()) return std::make_unique<BoundPadding>(call);
    return bind_interval(
        call, [lengths = call.lengths, keys = call.keys](std::int64_t batch, std::int64_t) {
          return Range{0, lengths.empty() ? keys : lengths[static_cast<std::size_t>(batch)]};
        });
  }
};

const ListedPattern<Padding> kListed;

}  // namespace
}  // namespace heed::attention
