// SPDX-License-Identifier: Apache-2.0
// strided: the strided pattern of the Sparse Transformer, both of its heads merged into one.
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

// Which key is seen depends on its distance d = i - j alone: 0 ≤ d ≤ stride, or a multiple of it.
class BoundStrided final : public BoundPattern {
 public:
  BoundStrided(const PatternCall& call, std::int64_t stride)
      : first_query_(call.first_query), keys_(call.keys), stride_(stride) {}

  // The tile of queries [p, p'] and keys [k, k'] holds exactly the distances p - k' to p' - k.
  TileCover classify(std::int64_t, std::int64_t, Range queries, Range keys) const override {
    const std::int64_t low = first_query_ + queries.begin - (keys.end - 1);
    const std::int64_t high = first_query_ + queries.end - 1 - keys.begin;
    const std::int64_t first = std::max<std::int64_t>(low, 0);
    const bool far = first > stride_;
    const std::int64_t seen = far ? (first + stride_ - 1) / stride_ * stride_ : first;
    if (seen > high) return TileCover::empty;
    const bool gapless = high <= stride_ || stride_ == 1 || low == high;
    return gapless && seen == low ? TileCover::full : TileCover::mixed;
  }

  void runs(std::int64_t, std::int64_t, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    const std::int64_t position = first_query_ + query;
    const std::int64_t near = std::max<std::int64_t>(position - stride_, 0);
    append_run(runs, {position % stride_, std::min(near, keys_), stride_});
    append_run(runs, {near, std::min(position + 1, keys_), 1});
  }

 private:
  std::int64_t first_query_;
  std::int64_t keys_;
  std::int64_t stride_;
};

struct Strided {
  std::int64_t stride = 32;

  static Card card() {
    return {.name = "strided",
            .summary =
                "Causal: a query sees the stride keys before it and every stride-th key "
                "before those, the union of the paper's two heads.",
            .formula = "j ≤ i and (i - j ≤ stride or (i - j) mod stride = 0)",
            .source = "Child et al. 2019 (Sparse Transformer)",
            .examples = {"stride=2"}};
  }
  void declare(Options& options) {
    options.add("stride", stride, "keys seen in a row, and the distance between those further away")
        .range(1, kMostKeys);
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    return std::make_unique<BoundStrided>(call, stride);
  }
};

const ListedPattern<Strided> kListed;

}  // namespace
}  // namespace heed::attention
