// SPDX-License-Identifier: Apache-2.0
// Weighing by rows: all of them by the part's own kernel where every key is allowed, else one by
// one with their allowed keys packed together.
#include <vector>

#include "heed/attention/compose/weigh_call.h"
#include "heed/base/threads.h"
#include "heed/tensor/reduce.h"

namespace heed::attention {
namespace {

// Memory of the rows that one thread takes in turn.
struct RowRooms {
  std::vector<Real> scores, bounds, weights, upstream, d_scores, d_bounds;
};

// Calls body(row index, row, allowed, rooms) for every row that has an allowed key.
template <typename Body>
void for_each_row(const WeighCall& call, const Body& body) {
  const ScoreSizes& sizes = call.sizes;
  parallel_for(
      static_cast<std::size_t>(sizes.rows()), sizes.grain(),
      [&](std::size_t begin, std::size_t end) {
        AllowedKeys allowed(sizes.keys);
        RowRooms rooms;
        for (auto r = static_cast<std::int64_t>(begin); r < static_cast<std::int64_t>(end); ++r) {
          allowed.look(call.pattern.get(), sizes, r);
          if (allowed.keys.empty()) continue;
          Row<Real> row{.scores = allowed.pack(call.scores.data() + r * sizes.keys, rooms.scores),
                        .keys = allowed.keys,
                        .head = allowed.head,
                        .parameters = call.parameters_of(allowed.head),
                        .random = call.random};
          row.random.row += static_cast<std::uint64_t>(r);
          if (call.bounds.defined()) {
            row.bounds = allowed.pack(call.bounds.data() + r * sizes.keys, rooms.bounds);
          }
          body(r, row, allowed, rooms);
        }
      });
}

// Whether a part may take all rows as one matrix.
bool is_plain(const WeighCall& call) {
  if (call.parameters.defined() || call.bounds.defined()) return false;
  if (call.pattern == nullptr) return true;
  const ScoreSizes& sizes = call.sizes;
  if (sizes.queries == 0 || sizes.keys == 0) return false;
  const std::int64_t batch = call.pattern->alike_in_batch() ? 1 : sizes.batch;
  const std::int64_t heads = call.pattern->alike_in_heads() ? 1 : sizes.heads;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      const TileCover cover = call.pattern->classify(b, h, {0, sizes.queries}, {0, sizes.keys});
      if (cover != TileCover::full) return false;
    }
  }
  return true;
}

Matrix<Real> matrix_of(const WeighCall& call, const Tensor& values) {
  return {values.data(), static_cast<std::size_t>(call.sizes.rows()),
          static_cast<std::size_t>(call.sizes.keys)};
}

}  // namespace

WeighOutputs weigh_rows(const RowNormaliser& normaliser, const WeighCall& call) {
  const ScoreSizes& sizes = call.sizes;
  const bool draws = normaliser.draws();
  if (!draws && is_plain(call)) {
    Tensor weights(call.scores.shape());
    if (normaliser.forward_rows(matrix_of(call, call.scores), weights.mutable_data())) {
      return {weights};
    }
  }
  Tensor weights = Tensor::zeros(call.scores.shape());
  WeighOutputs outputs{weights};
  if (draws) {
    const Shape per_row{sizes.batch, sizes.heads, sizes.queries};
    outputs.push_back(Tensor::zeros(per_row));
    outputs.push_back(Tensor::zeros(per_row));
  }
  Real* const weight = weights.mutable_data();
  Real* const log_probability = draws ? outputs[1].mutable_data() : nullptr;
  Real* const entropy = draws ? outputs[2].mutable_data() : nullptr;
  for_each_row(
      call, [&](std::int64_t r, const Row<Real>& row, const AllowedKeys& allowed, RowRooms& rooms) {
        Real* const out = weight + r * sizes.keys;
        const std::span<Real> found = allowed.open(out, rooms.weights);
        normaliser.forward(row, found);
        if (draws) {
          const RowDraw<Real> drawn = normaliser.draw(row, found);
          log_probability[r] = drawn.log_probability;
          entropy[r] = drawn.entropy;
        }
        allowed.spread(found, out);
      });
  return outputs;
}

Gradients weigh_rows_backward(const RowNormaliser& normaliser, const WeighCall& call,
                              const Tensor& weights, std::span<const Tensor> upstream,
                              Needs needs) {
  const ScoreSizes& sizes = call.sizes;
  const Tensor d_weights = upstream[0].packed();
  if (upstream.size() == 1 && is_plain(call)) {
    Tensor d_scores(call.scores.shape());
    if (normaliser.backward_rows(matrix_of(call, call.scores), weights.data(), d_weights.data(),
                                 d_scores.mutable_data())) {
      return {d_scores, Gradient(), Gradient()};
    }
  }
  const Tensor d_log = upstream.size() > 1 ? upstream[1].packed() : Tensor();
  const Tensor d_entropy = upstream.size() > 1 ? upstream[2].packed() : Tensor();
  Tensor d_scores = Tensor::zeros(call.scores.shape());
  Tensor d_bounds = needs[2] ? Tensor::zeros(call.scores.shape()) : Tensor();
  // One line of parameter gradients per row, added up in order: the same bits whatever the threads.
  const std::int64_t count = call.parameter_count();
  Tensor d_lines = needs[1] ? Tensor::zeros({sizes.rows(), count}) : Tensor();
  Real* const d_score = d_scores.mutable_data();
  Real* const d_bound = d_bounds.mutable_data();
  Real* const d_line = d_lines.mutable_data();
  for_each_row(
      call, [&](std::int64_t r, const Row<Real>& row, const AllowedKeys& allowed, RowRooms& rooms) {
        const std::int64_t place = r * sizes.keys;
        if (!d_weights.defined()) rooms.upstream.assign(allowed.keys.size(), 0);
        const RowUpstream<Real> from_above{
            .weights = d_weights.defined() ? allowed.pack(d_weights.data() + place, rooms.upstream)
                                           : std::span<const Real>(rooms.upstream),
            .log_probability = d_log.defined() ? d_log.data()[r] : 0,
            .entropy = d_entropy.defined() ? d_entropy.data()[r] : 0};
        RowGradient<Real> gradient{.scores = allowed.open(d_score + place, rooms.d_scores)};
        if (d_bound != nullptr) gradient.bounds = allowed.open(d_bound + place, rooms.d_bounds);
        if (d_line != nullptr) {
          gradient.parameters = {d_line + r * count, static_cast<std::size_t>(count)};
        }
        normaliser.backward(row, allowed.pack(weights.data() + place, rooms.weights), from_above,
                            gradient);
        allowed.spread(gradient.scores, d_score + place);
        if (d_bound != nullptr) allowed.spread(gradient.bounds, d_bound + place);
      });
  Gradient d_parameters;
  if (needs[1]) {
    d_parameters =
        sum(sum(d_lines.reshape({sizes.batch, sizes.heads, sizes.queries, count}), 2), 0);
  }
  return {d_scores, d_parameters, d_bounds};
}

}  // namespace heed::attention
