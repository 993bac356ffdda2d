// SPDX-License-Identifier: Apache-2.0
// globals: a few positions that everybody sees and that see everything.
#include "heed/attention/patterns/interval.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::attention {
namespace {

// Positions in ascending order, each once.
std::vector<std::int64_t> read_positions(std::span<const std::string> texts) {
  std::vector<std::int64_t> positions;
  for (const std::string& text : texts) {
    positions.push_back(parse_integer(text, "globals: a position"));
    if (positions.back() < 0 || positions.back() > kMostKeys) {
      throw UsageError("globals: a position is {}: it takes a whole number from 0 to {}", text,
                       kMostKeys);
    }
  }
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

// The global positions are runs, so that the first n cost no more than one.
class BoundGlobals final : public BoundPattern {
 public:
  BoundGlobals(const PatternCall& call, RunList globals)
      : first_query_(call.first_query), keys_(call.keys), globals_(std::move(globals)) {}

  TileCover classify(std::int64_t, std::int64_t, Range queries, Range keys) const override {
    const TileCover by_key = cover(globals_, keys);
    const TileCover by_query =
        cover(globals_, {first_query_ + queries.begin, first_query_ + queries.end});
    if (by_key == TileCover::full || by_query == TileCover::full) return TileCover::full;
    return together(by_key, by_query);
  }

  void runs(std::int64_t, std::int64_t, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    const std::int64_t position = first_query_ + query;
    if (cover(globals_, {position, position + 1}) == TileCover::full) {
      append_run(runs, {0, keys_, 1});
      return;
    }
    for (const KeyRun& run : globals_) append_run(runs, {run.begin, std::min(run.end, keys_), 1});
  }

 private:
  std::int64_t first_query_;
  std::int64_t keys_;
  RunList globals_;
};

struct Globals {
  std::int64_t count = 1;
  std::vector<std::string> positions;

  static Card card() {
    return {.name = "globals",
            .summary =
                "Every query sees the global positions, and a query at one of them sees "
                "everything.",
            .formula = "j ∈ G or i ∈ G; G = the first count positions, or those listed",
            .source = "Beltagy et al. 2020 (Longformer), Zaheer et al. 2020 (BigBird)",
            .examples = {"count=2", "positions=[1, 3]"}};
  }
  void declare(Options& options) {
    options.add("count", count, "how many positions from the first are global").range(0, kMostKeys);
    options.add("positions", positions, "the global positions, in place of the first ones");
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    if (!positions.empty() && count != 1) {
      throw UsageError("globals: count is {} and positions are [{}]: it takes one of the two",
                       count, join(positions, ", "));
    }
    RunList globals;
    for (const std::int64_t position : read_positions(positions)) {
      append_run(globals, {position, position + 1, 1});
    }
    if (positions.empty()) append_run(globals, {0, count, 1});
    return std::make_unique<BoundGlobals>(call, std::move(globals));
  }
};

const ListedPattern<Globals> kListed;

}  // namespace
}  // namespace heed::attention
