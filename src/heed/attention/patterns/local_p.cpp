// SPDX-License-Identifier: Apache-2.0
// local_p: Luong's predictive local attention, whose window is where the model says.
#include <cmath>

#include "heed/attention/patterns/interval.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

class BoundLocalP final : public BoundPattern {
 public:
  BoundLocalP(const PatternCall& call, double half_width)
      : heads_(call.heads),
        queries_(call.queries),
        keys_(static_cast<double>(call.keys)),
        centres_(call.centres),
        half_width_(half_width) {}

  // Centres follow no order: every row of the tile is asked.
  TileCover classify(std::int64_t batch, std::int64_t head, Range queries,
                     Range keys) const override {
    bool some = false;
    bool all = true;
    for (std::int64_t query = queries.begin; query < queries.end && (all || !some); ++query) {
      const Range row = seen(batch, head, query);
      some = some || (std::max(row.begin, keys.begin) < std::min(row.end, keys.end));
      all = all && row.begin <= keys.begin && row.end >= keys.end;
    }
    if (all) return TileCover::full;
    return some ? TileCover::mixed : TileCover::empty;
  }

  void runs(std::int64_t batch, std::int64_t head, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    const Range row = seen(batch, head, query);
    append_run(runs, {row.begin, row.end, 1});
  }

 private:
  Range seen(std::int64_t batch, std::int64_t head, std::int64_t query) const {
    const double centre =
        centres_[static_cast<std::size_t>((batch * heads_ + head) * queries_ + query)];
    // Cut to the keys before they become whole numbers: a centre may lie anywhere.
    const double begin = std::clamp(std::ceil(centre - half_width_), 0.0, keys_);
    const double end = std::clamp(std::floor(centre + half_width_) + 1, 0.0, keys_);
    return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)};
  }
  std::int64_t heads_;
  std::int64_t queries_;
  double keys_;
  std::span<const double> centres_;
  double half_width_;
};

struct LocalP {
  std::int64_t half_width = 10;  // D of the paper

  static Card card() {
    return {.name = "local_p",
            .summary =
                "A query sees the keys at most half-width away from the centre the model "
                "predicts for it.",
            .formula = "|j - p| ≤ D; p the query's centre, a real number",
            .source = "Luong et al. 2015 (local-p)",
            .reads = {Given::centres},
            .examples = {"half-width=1"}};
  }
  void declare(Options& options) {
    options.add("half-width", half_width, "keys seen on either side of the centre")
        .range(0, kMostKeys);
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    if (call.centres.empty() && call.batch * call.heads * call.queries > 0) {
      throw UsageError(
          "local_p: no centres; a bias predicts them, as in \"scaled_dot + gaussian | local_p\"");
    }
    check_data("local_p", "centres", call.centres.size(), "batch, heads, queries",
               {call.batch, call.heads, call.queries});
    for (const double centre : call.centres) {
      if (!std::isfinite(centre)) {
        throw UsageError("local_p: a centre is {}: it takes a finite number", centre);
      }
    }
    return std::make_unique<BoundLocalP>(call, static_cast<double>(half_width));
  }
};

const ListedPattern<LocalP> kListed;

}  // namespace
}  // namespace heed::attention
