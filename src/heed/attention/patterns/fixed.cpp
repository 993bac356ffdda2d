// SPDX-License-Identifier: Apache-2.0
// fixed: the fixed pattern of the Sparse Transformer, both of its heads merged into one.
#include "heed/attention/patterns/interval.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// The last c positions of every block of `stride` are summaries, which all later queries see.
class BoundFixed final : public BoundPattern {
 public:
  BoundFixed(const PatternCall& call, std::int64_t stride, std::int64_t summaries)
      : first_query_(call.first_query),
        keys_(call.keys),
        stride_(stride),
        plain_(stride - summaries) {}

  TileCover classify(std::int64_t, std::int64_t, Range queries, Range keys) const override {
    const std::int64_t first = first_query_ + queries.begin;
    const std::int64_t last = first_query_ + queries.end - 1;
    if (keys.begin > last) return TileCover::empty;
    // The tile's first key that is no summary must lie in the last query's block, or be absent.
    const std::int64_t plain = keys.begin % stride_ < plain_ ? keys.begin : block_end(keys.begin);
    const bool only_summaries = plain_ == 0 || plain >= keys.end;
    if (keys.end - 1 <= first && (only_summaries || plain >= block_begin(last)))
      return TileCover::full;
    // A summary that the last query sees, or a key in front of a query in its block.
    const std::int64_t summary = std::max(keys.begin, block_begin(keys.begin) + plain_);
    if (summary < keys.end && summary <= last) return TileCover::mixed;
    // Without one all keys are of one block, after whose end no query sees them.
    const std::int64_t sees = std::max(first, keys.begin);
    return sees <= last && sees < block_end(keys.begin) ? TileCover::mixed : TileCover::empty;
  }

  void runs(std::int64_t, std::int64_t, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    const std::int64_t position = first_query_ + query;
    const std::int64_t own = block_begin(position);
    const std::int64_t before = std::min(own, keys_);
    if (plain_ == stride_ - 1) {
      append_run(runs, {plain_, before, stride_});
    } else {
      for (std::int64_t block = 0; block < before; block += stride_) {
        append_run(runs, {block + plain_, std::min(block + stride_, before), 1});
      }
    }
    append_run(runs, {own, std::min(position + 1, keys_), 1});
  }

 private:
  std::int64_t block_begin(std::int64_t position) const { return position / stride_ * stride_; }
  std::int64_t block_end(std::int64_t position) const { return block_begin(position) + stride_; }
  std::int64_t first_query_;
  std::int64_t keys_;
  std::int64_t stride_;
  std::int64_t plain_;  // positions of a block before its summaries
};

struct Fixed {
  std::int64_t stride = 128;
  std::int64_t summaries = 8;

  static Card card() {
    return {.name = "fixed",
            .summary =
                "Causal: a query sees its own block of stride positions and the last c of "
                "every block before, the union of the paper's two heads.",
            .formula = "j ≤ i and (⌊j / stride⌋ = ⌊i / stride⌋ or j mod stride ≥ stride - c)",
            .source = "Child et al. 2019 (Sparse Transformer)",
            .examples = {"stride=3, c=1"}};
  }
  void declare(Options& options) {
    options.add("stride", stride, "positions in a block").range(1, kMostKeys);
    options.add("c", summaries, "positions at the end of a block that later blocks see")
        .range(1, kMostKeys);
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    if (summaries > stride) {
      throw UsageError("fixed: c is {}: it takes a whole number from 1 to the stride, {}",
                       summaries, stride);
    }
    return std::make_unique<BoundFixed>(call, stride, summaries);
  }
};

const ListedPattern<Fixed> kListed;

}  // namespace
}  // namespace heed::attention
