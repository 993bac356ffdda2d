// SPDX-License-Identifier: Apache-2.0
// segments: several sequences packed into one row, each seeing itself only.
#include "heed/attention/patterns/interval.h"

namespace heed::attention {
namespace {

class BoundSegments final : public BoundPattern {
 public:
  explicit BoundSegments(const PatternCall& call)
      : queries_(call.queries),
        keys_(call.keys),
        query_segments_(call.query_segments),
        key_segments_(call.key_segments) {}

  // Ids in ascending order, the usual case, get an exact answer from the smallest and the largest.
  TileCover classify(std::int64_t batch, std::int64_t, Range queries, Range keys) const override {
    const auto [first_query, last_query] = std::ranges::minmax(part(query_row(batch), queries));
    const auto [first_key, last_key] = std::ranges::minmax(part(key_row(batch), keys));
    if (last_query < first_key || last_key < first_query) return TileCover::empty;
    const bool one = first_query == last_query && first_key == last_key;
    return one ? TileCover::full : TileCover::mixed;
  }

  void runs(std::int64_t batch, std::int64_t, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    const std::int32_t segment = query_row(batch)[static_cast<std::size_t>(query)];
    const auto row = key_row(batch);
    for (auto begin = row.begin(); begin != row.end();) {
      begin = std::find(begin, row.end(), segment);
      const auto end = std::find_if(begin, row.end(), [=](auto id) { return id != segment; });
      append_run(runs, {begin - row.begin(), end - row.begin(), 1});
      begin = end;
    }
  }

 private:
  using Ids = std::span<const std::int32_t>;
  static Ids part(Ids row, Range range) {
    return row.subspan(static_cast<std::size_t>(range.begin),
                       static_cast<std::size_t>(range.size()));
  }
  Ids query_row(std::int64_t batch) const {
    return part(query_segments_, {batch * queries_, (batch + 1) * queries_});
  }
  Ids key_row(std::int64_t batch) const {
    return part(key_segments_, {batch * keys_, (batch + 1) * keys_});
  }
  std::int64_t queries_;
  std::int64_t keys_;
  Ids query_segments_;
  Ids key_segments_;
};

struct Segments {
  static Card card() {
    return {.name = "segments",
            .summary =
                "A query sees the keys with its own segment id; the ids are given with the "
                "batch.",
            .formula = "segment(j) = segment(i)",
            .source = "Raffel et al. 2020 (T5, packed sequences)",
            .reads = {Given::segments}};
  }
  void declare(Options&) {}
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    check_data("segments", "query_segments", call.query_segments.size(), "batch, queries",
               {call.batch, call.queries});
    check_data("segments", "key_segments", call.key_segments.size(), "batch, keys",
               {call.batch, call.keys});
    return std::make_unique<BoundSegments>(call);
  }
};

const ListedPattern<Segments> kListed;

}  // namespace
}  // namespace heed::attention
