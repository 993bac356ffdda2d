// SPDX-License-Identifier: Apache-2.0
// Weighing by matrices: each head of each sequence is one table of allowed keys; threads share the
// tables out.
#include <vector>

#include "heed/attention/compose/weigh_call.h"
#include "heed/base/threads.h"
#include "heed/tensor/reduce.h"

namespace heed::attention {
namespace {

// The allowed cells of one head of one sequence, packed row after row.
struct Cells {
  std::vector<std::int32_t> columns;
  std::vector<std::size_t> rows;
  std::vector<Real> scores, weights, upstream, gradient;

  void look(const WeighCall& call, std::int64_t first_row, AllowedKeys& allowed) {
    columns.clear();
    rows.assign(1, 0);
    for (std::int64_t q = 0; q < call.sizes.queries; ++q) {
      allowed.look(call.pattern.get(), call.sizes, first_row + q);
      columns.insert(columns.end(), allowed.keys.begin(), allowed.keys.end());
      rows.push_back(columns.size());
    }
  }
  // Calls body(packed element, element of the matrix [Q,K]).
  template <typename Element, typename Body>
  void each(std::vector<Real>& packed, Element* matrix, std::int64_t keys, const Body& body) const {
    packed.resize(columns.size());
    for (std::size_t q = 0; q + 1 < rows.size(); ++q) {
      Element* const row = matrix + static_cast<std::int64_t>(q) * keys;
      for (std::size_t i = rows[q]; i < rows[q + 1]; ++i) body(packed[i], row[columns[i]]);
    }
  }
  void pack(std::vector<Real>& packed, const Real* matrix, std::int64_t keys) const {
    each(packed, matrix, keys, [](Real& to, const Real& from) { to = from; });
  }
  void spread(std::vector<Real>& packed, Real* matrix, std::int64_t keys) const {
    each(packed, matrix, keys, [](const Real& from, Real& to) { to = from; });
  }
};

// Calls body(table index b H + h, table, cells) for every table with an allowed key.
template <typename Body>
void for_each_table(const WeighCall& call, const Body& body) {
  const ScoreSizes& sizes = call.sizes;
  const auto tables = static_cast<std::size_t>(sizes.batch * sizes.heads);
  const std::size_t grain = 1 + 4096 / static_cast<std::size_t>(sizes.queries * sizes.keys + 1);
  parallel_for(tables, grain, [&](std::size_t begin, std::size_t end) {
    AllowedKeys allowed(sizes.keys);
    Cells cells;
    for (auto t = static_cast<std::int64_t>(begin); t < static_cast<std::int64_t>(end); ++t) {
      cells.look(call, t * sizes.queries, allowed);
      if (cells.columns.empty()) continue;
      cells.pack(cells.scores, call.scores.data() + t * sizes.queries * sizes.keys, sizes.keys);
      const std::int64_t head = t % sizes.heads;
      body(t,
           Table<Real>{.queries = sizes.queries,
                       .keys = sizes.keys,
                       .scores = cells.scores,
                       .columns = cells.columns,
                       .rows = cells.rows,
                       .head = head,
                       .parameters = call.parameters_of(head)},
           cells);
    }
  });
}

}  // namespace

WeighOutputs weigh_matrices(const MatrixNormaliser& normaliser, const WeighCall& call) {
  const ScoreSizes& sizes = call.sizes;
  Tensor weights = Tensor::zeros(call.scores.shape());
  Real* const weight = weights.mutable_data();
  for_each_table(call, [&](std::int64_t t, const Table<Real>& table, Cells& cells) {
    cells.weights.resize(table.scores.size());
    normaliser.forward(table, cells.weights);
    cells.spread(cells.weights, weight + t * sizes.queries * sizes.keys, sizes.keys);
  });
  return {weights};
}

Gradients weigh_matrices_backward(const MatrixNormaliser& normaliser, const WeighCall& call,
                                  const Tensor& weights, std::span<const Tensor> upstream,
                                  Needs needs) {
  const ScoreSizes& sizes = call.sizes;
  const Tensor d_weights = upstream[0].packed();
  Tensor d_scores = Tensor::zeros(call.scores.shape());
  // One line of parameter gradients per table, added up in order.
  const std::int64_t count = call.parameter_count();
  Tensor d_lines = needs[1] ? Tensor::zeros({sizes.batch, sizes.heads, count}) : Tensor();
  Real* const d_score = d_scores.mutable_data();
  Real* const d_line = d_lines.mutable_data();
  for_each_table(call, [&](std::int64_t t, const Table<Real>& table, Cells& cells) {
    const std::int64_t place = t * sizes.queries * sizes.keys;
    cells.pack(cells.weights, weights.data() + place, sizes.keys);
    cells.pack(cells.upstream, d_weights.data() + place, sizes.keys);
    cells.gradient.resize(table.scores.size());
    TableGradient<Real> gradient{.scores = cells.gradient};
    if (d_line != nullptr) {
      gradient.parameters = {d_line + t * count, static_cast<std::size_t>(count)};
    }
    normaliser.backward(table, cells.weights, cells.upstream, gradient);
    cells.spread(cells.gradient, d_score + place, sizes.keys);
  });
  return {d_scores, needs[1] ? Gradient(sum(d_lines, 0)) : Gradient(), Gradient()};
}

}  // namespace heed::attention
