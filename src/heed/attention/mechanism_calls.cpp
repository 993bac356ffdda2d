// SPDX-License-Identifier: Apache-2.0
// What parts are asked with in one call of attend, by the composition and by fused kernels alike:
// the pattern bound to the call, the call of a bias, and the user's own changes in their places.
#include "heed/attention/bias.h"
#include "heed/attention/compose/bind.h"
#include "heed/attention/mechanism.h"

namespace heed::attention {
namespace {

// A user's change sees heads as the mechanism counts them and queries by their position.
class PlacedChange final : public ScoreChange {
 public:
  PlacedChange(std::shared_ptr<const ScoreChange> change, std::int64_t first_sequence,
               std::int64_t first_head, std::int64_t first_query)
      : change_(std::move(change)),
        first_sequence_(static_cast<std::size_t>(first_sequence)),
        first_head_(static_cast<std::size_t>(first_head)),
        first_query_(static_cast<std::size_t>(first_query)) {}
  void change(const ScoreTile& scores) const override { change_->change(placed(scores)); }
  void derivative(const ScoreTileBefore& before, Real* gradient, Real* parameters) const override {
    change_->derivative(placed(before), gradient, parameters);
  }
  std::size_t parameter_count() const noexcept override { return change_->parameter_count(); }
  bool adds() const noexcept override { return change_->adds(); }

 private:
  template <typename Tile>
  Tile placed(Tile tile) const {
    tile.batch += first_sequence_;
    tile.head += first_head_;
    tile.query += first_query_;
    return tile;
  }
  std::shared_ptr<const ScoreChange> change_;
  std::size_t first_sequence_, first_head_, first_query_;
};

}  // namespace

std::vector<TileChange> Mechanism::own_changes(const Group& group, const Call& call) const {
  std::vector<TileChange> changes = call.options.changes;
  if (call.first_sequence == 0 && group.first == 0 && call.first_query() == 0) return changes;
  for (TileChange& change : changes) {
    change.change = std::make_shared<PlacedChange>(change.change, call.first_sequence, group.first,
                                                   call.first_query());
  }
  return changes;
}

std::shared_ptr<const BoundPattern> Mechanism::bound_pattern(const Group& group, const Call& call,
                                                             const Variable& centres) const {
  QueryData given = call.given;
  if (given.mask.defined() && given.mask.size(1) > 1) {
    given.mask = given.mask.slice(1, group.first, group.first + group.heads);
  }
  const PatternCall sizes{.batch = call.query.size(0),
                          .heads = group.heads,
                          .first_head = group.first,
                          .first_sequence = call.first_sequence,
                          .queries = call.query.size(2),
                          .keys = call.memory.size(),
                          .first_query = call.first_query(),
                          .total_queries = call.total_queries};
  return bind_both(*group.pattern, call.options.pattern.get(), call.memory.data, given, sizes,
                   centres);
}

BiasCall Mechanism::bias_call(const Call& call, const Group& group, const Variable& query,
                              const Variable& keys) const {
  return {.query = query,
          .keys = keys,
          .first_query = call.first_query(),
          .first_head = group.first,
          .all_heads = shape_.heads,
          .given = call.given.bias,
          .lengths = call.memory.data.lengths};
}

}  // namespace heed::attention
