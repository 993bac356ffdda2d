// SPDX-License-Identifier: Apache-2.0
// Patterns that show each query one interval of keys: most of them. They classify a tile exactly
// from two rows and a search.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "heed/attention/pattern.h"
#include "heed/attention/patterns/run_list.h"

namespace heed::attention {

// `interval(position)`, or `interval(batch, position)` where sequences differ, gives the keys a
// query at that position sees, beyond the call's keys too. From one position to the next neither
// end may go back, and an interval without keys must lie before the first.
template <typename Interval>
class IntervalPattern final : public BoundPattern {
 public:
  IntervalPattern(const PatternCall& call, Interval interval)
      : first_query_(call.first_query), keys_(call.keys), interval_(std::move(interval)) {}

  TileCover classify(std::int64_t batch, std::int64_t, Range queries, Range keys) const override {
    const Range first = row(batch, queries.begin);
    const Range last = row(batch, queries.end - 1);
    if (last.begin <= keys.begin && first.end >= keys.end) return TileCover::full;
    if (first.begin >= keys.end || last.end <= keys.begin) return TileCover::empty;
    // Of the queries whose interval begins in front of the tile's end the last one reaches
    // furthest: when it ends before the tile begins, so do all.
    std::int64_t furthest = queries.begin;
    for (std::int64_t end = queries.end; end - furthest > 1;) {
      const std::int64_t middle = furthest + (end - furthest) / 2;
      (row(batch, middle).begin < keys.end ? furthest : end) = middle;
    }
    return row(batch, furthest).end <= keys.begin ? TileCover::empty : TileCover::mixed;
  }

  void runs(std::int64_t batch, std::int64_t, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    const Range keys = row(batch, query);
    append_run(runs, {keys.begin, keys.end, 1});
  }

  bool alike_in_batch() const override { return kAlike; }
  bool alike_in_heads() const override { return true; }

 private:
  static constexpr bool kAlike = std::is_invocable_v<const Interval&, std::int64_t>;

  Range keys_of(std::int64_t batch, std::int64_t position) const {
    if constexpr (kAlike) {
      return interval_(position);
    } else {
      return interval_(batch, position);
    }
  }
  Range row(std::int64_t batch, std::int64_t query) const {
    const Range keys = keys_of(batch, first_query_ + query);
    const std::int64_t none = 0;
    return {std::clamp(keys.begin, none, keys_), std::clamp(keys.end, none, keys_)};
  }
  std::int64_t first_query_;
  std::int64_t keys_;
  Interval interval_;
};

template <typename Interval>
std::unique_ptr<BoundPattern> bind_interval(const PatternCall& call, Interval interval) {
  return std::make_unique<IntervalPattern<Interval>>(call, std::move(interval));
}

// The widest window and the longest block that can be asked for: far beyond any sequence, and sums
// of them stay within 64 bits.
inline constexpr double kMostKeys = 1e12;

}  // namespace heed::attention
