// SPDX-License-Identifier: Apache-2.0
// dilated: a window with gaps, as wide as step times its number of keys.
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

// The tile of queries [p, p'] and keys [k, k'] holds exactly the distances k - p' to k' - p.
class BoundDilated final : public BoundPattern {
 public:
  BoundDilated(const PatternCall& call, std::int64_t window, std::int64_t step)
      : first_query_(call.first_query), keys_(call.keys), step_(step), reach_(window * step) {}

  TileCover classify(std::int64_t, std::int64_t, Range queries, Range keys) const override {
    const std::int64_t low = keys.begin - (first_query_ + queries.end - 1);
    const std::int64_t high = keys.end - 1 - (first_query_ + queries.begin);
    const std::int64_t first = first_seen(std::max(low, -reach_));
    if (first > std::min(high, reach_)) return TileCover::empty;
    const bool gapless = step_ == 1 || low == high;
    return gapless && first == low && high <= reach_ ? TileCover::full : TileCover::mixed;
  }

  void runs(std::int64_t, std::int64_t, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    const std::int64_t position = first_query_ + query;
    const std::int64_t begin = position + first_seen(std::max(-position, -reach_));
    append_run(runs, {begin, std::min(keys_, position + reach_ + 1), step_});
  }

 private:
  // The first multiple of the step from `distance` on. Division rounds towards zero: up for a
  // negative number.
  std::int64_t first_seen(std::int64_t distance) const {
    const std::int64_t down = distance / step_ * step_;
    return down < distance ? down + step_ : down;
  }
  std::int64_t first_query_;
  std::int64_t keys_;
  std::int64_t step_;
  std::int64_t reach_;
};

struct Dilated {
  std::int64_t window = 8;
  std::int64_t step = 2;

  static Card card() {
    return {.name = "dilated",
            .summary =
                "A query sees its own position and on either side window keys, each step "
                "away from the one before.",
            .formula = "j = i + m·step, |m| ≤ window",
            .source = "Beltagy et al. 2020 (Longformer)",
            .examples = {"window=1"}};
  }
  void declare(Options& options) {
    options.add("window", window, "keys seen on either side").range(0, 1e6);
    options.add("step", step, "distance from one seen key to the next").range(1, kMostKeys);
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    return std::make_unique<BoundDilated>(call, window, step);
  }
};

const ListedPattern<Dilated> kListed;

}  // namespace
}  // namespace heed::attention
