// SPDX-License-Identifier: Apache-2.0
// Patterns of rows classify tiles by asking the rows: kernels halve tiles, so that a query block
// costs the logarithm of the length.
#include "heed/attention/whole/seen.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/compose/weigh.h"
#include "heed/attention/fused/dense.h"
#include "heed/attention/patterns/run_list.h"
#include "heed/autograd/ops.h"
#include "heed/base/threads.h"

namespace heed::attention {
namespace {

// Rows side by side that are asked for at once: a tile far from all of their keys is known to be
// empty without asking them, of which backward has as many as the square of the length.
constexpr std::int64_t kHullRows = 64;

class RowsPattern final : public BoundPattern {
 public:
  RowsPattern(const RowsOf& sizes, RowRuns rows) : sizes_(sizes), rows_(std::move(rows)) {
    const std::int64_t blocks = (sizes.queries + kHullRows - 1) / kHullRows;
    hulls_.resize(static_cast<std::size_t>(sizes.batch * sizes.heads * blocks));
    parallel_for(hulls_.size(), 16, [&](std::size_t from, std::size_t to) {
      std::vector<KeyRun> runs;
      for (auto i = static_cast<std::int64_t>(from); i < static_cast<std::int64_t>(to); ++i) {
        const std::int64_t head = i / blocks, first = i % blocks * kHullRows;
        const std::int64_t last = std::min(first + kHullRows, sizes_.queries);
        Range& hull = hulls_[static_cast<std::size_t>(i)];
        for (std::int64_t q = first; q < last; ++q) {
          rows_(head / sizes_.heads, head % sizes_.heads, q, runs);
          if (runs.empty()) continue;
          const Range row{runs.front().begin, runs.back().end};
          hull = hull.size() == 0
                     ? row
                     : Range{std::min(hull.begin, row.begin), std::max(hull.end, row.end)};
        }
      }
    });
  }
  TileCover classify(std::int64_t batch, std::int64_t head, Range queries,
                     Range keys) const override {
    if (far_from_all(batch, head, queries, keys)) return TileCover::empty;
    std::vector<KeyRun> runs;
    rows_(batch, of(head), queries.begin, runs);
    TileCover all = cover(runs, keys);
    for (std::int64_t q = queries.begin + 1; q < queries.end && all != TileCover::mixed; ++q) {
      rows_(batch, of(head), q, runs);
      all = together(all, cover(runs, keys));
    }
    return all;
  }
  void runs(std::int64_t batch, std::int64_t head, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    rows_(batch, of(head), query, runs);
  }
  bool alike_in_heads() const override { return sizes_.heads == 1; }

 private:
  std::int64_t of(std::int64_t head) const { return sizes_.heads == 1 ? 0 : head; }
  bool far_from_all(std::int64_t batch, std::int64_t head, Range queries, Range keys) const {
    const std::int64_t blocks = (sizes_.queries + kHullRows - 1) / kHullRows;
    const Range* const mine = hulls_.data() + (batch * sizes_.heads + of(head)) * blocks;
    for (std::int64_t i = queries.begin / kHullRows; i * kHullRows < queries.end; ++i) {
      if (mine[i].size() > 0 && mine[i].begin < keys.end && keys.begin < mine[i].end) return false;
    }
    return true;
  }

  RowsOf sizes_;
  RowRuns rows_;
  std::vector<Range> hulls_;
};

Real scale_of(const Variable& query) {
  return static_cast<Real>(1 / std::sqrt(static_cast<double>(query.size(3))));
}

}  // namespace

Variable where_seen(const Tensor& seen, const Variable& x) {
  return where(seen, x, Variable(Tensor::full({1}, 0)));
}

Tensor first_ones(const std::vector<std::int64_t>& count, std::int64_t all) {
  if (std::ranges::all_of(count, [&](std::int64_t n) { return n >= all; })) return {};
  const auto batch = static_cast<std::int64_t>(count.size());
  Tensor first = Tensor::zeros({batch, 1, all, 1});
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t n = std::clamp<std::int64_t>(count[static_cast<std::size_t>(b)], 0, all);
    std::fill_n(first.mutable_data() + b * all, n, Real{1});
  }
  return first;
}

std::vector<std::int64_t> most_seen(const WholeCall& call) {
  const std::int64_t batch = call.query.size(0), queries = call.query.size(2);
  std::vector<std::int64_t> most(static_cast<std::size_t>(batch), 0);
  for (std::int64_t i = 0; i < batch * queries; ++i) {
    std::int64_t& mine = most[static_cast<std::size_t>(i / queries)];
    mine = std::max(mine, call.visible[static_cast<std::size_t>(i)]);
  }
  return most;
}

SeenKeys seen_keys(const WholeCall& call) {
  const Tensor seen = first_ones(most_seen(call), call.memory.keys.size(2));
  if (!seen.defined()) return {call.memory.keys, call.memory.values};
  return {where_seen(seen, call.memory.keys), where_seen(seen, call.memory.values)};
}

Tensor seen_matrix(const WholeCall& call) {
  const std::int64_t batch = call.query.size(0), queries = call.query.size(2),
                     keys = call.memory.keys.size(2);
  Tensor seen = Tensor::zeros({batch, 1, queries, keys});
  for (std::int64_t row = 0; row < batch * queries; ++row) {
    std::fill_n(seen.mutable_data() + row * keys,
                std::max<std::int64_t>(call.visible[static_cast<std::size_t>(row)], 0), Real{1});
  }
  return seen;
}

std::shared_ptr<const BoundPattern> pattern_of_rows(const RowsOf& sizes, RowRuns rows) {
  return std::make_shared<RowsPattern>(sizes, std::move(rows));
}

std::shared_ptr<const BoundPattern> pattern_of_first(std::vector<std::int64_t> count,
                                                     std::int64_t queries) {
  const auto batch = static_cast<std::int64_t>(count.size()) / std::max<std::int64_t>(queries, 1);
  return pattern_of_rows({batch, 1, queries}, [count = std::move(count), queries](
                                                  std::int64_t b, std::int64_t, std::int64_t query,
                                                  std::vector<KeyRun>& runs) {
    runs.clear();
    append_run(runs, {0, count[static_cast<std::size_t>(b * queries + query)], 1});
  });
}

Variable softmax_context(const SoftmaxInputs& inputs) {
  const FusedInputs fused{.query = inputs.query,
                          .keys = inputs.keys,
                          .values = inputs.values,
                          .scale = scale_of(inputs.query),
                          .changes = inputs.changes,
                          .pattern = inputs.pattern};
  const std::optional<DenseResult> found = dense_attention(fused);
  return found ? found->context : composed_dense(fused);
}

Variable softmax_matrix(const SoftmaxInputs& inputs) {
  Variable scores = dot_products(inputs.query * scale_of(inputs.query), inputs.keys);
  for (const TileChange& change : inputs.changes) scores = apply(change, scores);
  return softmax_weights(scores, inputs.pattern);
}

Variable for_each_head(const Variable& x, std::int64_t heads) {
  const std::int64_t key_heads = x.size(1);
  if (key_heads == heads) return x;
  const Shape one = x.shape().inserted(2, 1);
  return reshape(expand(reshape(x, one), one.with(2, heads / key_heads)), x.shape().with(1, heads));
}

}  // namespace heed::attention
