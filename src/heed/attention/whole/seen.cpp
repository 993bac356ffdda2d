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

namespace heed::attention {
namespace {

class RowsPattern final : public BoundPattern {
 public:
  explicit RowsPattern(RowRuns rows) : rows_(std::move(rows)) {}
  TileCover classify(std::int64_t batch, std::int64_t head, Range queries,
                     Range keys) const override {
    std::vector<KeyRun> runs;
    rows_(batch, head, queries.begin, runs);
    TileCover all = cover(runs, keys);
    for (std::int64_t q = queries.begin + 1; q < queries.end && all != TileCover::mixed; ++q) {
      rows_(batch, head, q, runs);
      all = together(all, cover(runs, keys));
    }
    return all;
  }
  void runs(std::int64_t batch, std::int64_t head, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    rows_(batch, head, query, runs);
  }

 private:
  RowRuns rows_;
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

std::shared_ptr<const BoundPattern> pattern_of_rows(RowRuns rows) {
  return std::make_shared<RowsPattern>(std::move(rows));
}

std::shared_ptr<const BoundPattern> pattern_of_first(std::vector<std::int64_t> count,
                                                     std::int64_t queries) {
  return pattern_of_rows([count = std::move(count), queries](std::int64_t batch, std::int64_t,
                                                             std::int64_t query,
                                                             std::vector<KeyRun>& runs) {
    runs.clear();
    append_run(runs, {0, count[static_cast<std::size_t>(batch * queries + query)], 1});
  });
}

Variable softmax_context(const SoftmaxInputs& inputs) {
  const FusedInputs fused{.query = inputs.query,
                          .keys = inputs.keys,
                          .values = inputs.values,
                          .scale = scale_of(inputs.query),
                          .pattern = inputs.pattern};
  const std::optional<DenseResult> found = dense_attention(fused);
  return found ? found->context : composed_dense(fused);
}

Variable softmax_matrix(const SoftmaxInputs& inputs) {
  return softmax_weights(dot_products(inputs.query * scale_of(inputs.query), inputs.keys),
                         inputs.pattern);
}

Variable for_each_head(const Variable& x, std::int64_t heads) {
  const std::int64_t key_heads = x.size(1);
  if (key_heads == heads) return x;
  const Shape one = x.shape().inserted(2, 1);
  return reshape(expand(reshape(x, one), one.with(2, heads / key_heads)), x.shape().with(1, heads));
}

}  // namespace heed::attention
