// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent cell as an op: for decoders whose next input waits for this step's
// output.
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/recurrent/rnn_cell.h"

namespace heed {
namespace {

using kernels::Cell;

void check(Cell cell, const RecurrentGates& gates, const RecurrentState& before) {
  const Shape& state = before.h.shape();
  if (!before.h.defined() || before.h.rank() != 2) {
    throw UsageError("recurrent_step: h {}; it takes [B,H]", state.text());
  }
  if (cell == Cell::lstm && (!before.c.defined() || before.c.shape() != state)) {
    throw UsageError("recurrent_step: c {}; an LSTM takes {}", before.c.shape().text(),
                     state.text());
  }
  const Shape wanted{state[0], static_cast<std::int64_t>(kernels::gate_count(cell)) * state[1]};
  if (gates.from_input.shape() != wanted || gates.from_state.shape() != wanted) {
    throw UsageError("recurrent_step: gates {} and {}; it takes {} of each",
                     gates.from_input.shape().text(), gates.from_state.shape().text(),
                     wanted.text());
  }
  const Variable& bias = gates.candidate_bias;
  if (bias.defined() && (cell != Cell::gru || bias.shape() != Shape{state[1]})) {
    throw UsageError("recurrent_step: candidate_bias {}; only a GRU takes one, of shape [{}]",
                     bias.shape().text(), state[1]);
  }
}

// What backward reads.
struct KeptStep {
  kernels::RnnCellShape shape;
  Tensor gates, h, c, next_h, next_c;
};

Gradients step_gradients(const KeptStep& kept, std::span<const Tensor> dys) {
  const Tensor d_next_h = dys[0].packed();
  const Tensor d_next_c = dys.size() > 1 ? dys[1].packed() : Tensor();
  Tensor d_gates(kept.gates.shape());
  Tensor d_h(kept.h.shape());
  Tensor d_c = room_for_gradient(kept.c.defined(), kept.h.shape());
  Tensor d_bias({kept.gates.size(1)});
  kernels::rnn_cell_backward<Real>(kept.shape, {.gates = kept.gates.data(),
                                                .h = kept.h.data(),
                                                .c = kept.c.data(),
                                                .next_h = kept.next_h.data(),
                                                .next_c = kept.next_c.data(),
                                                .d_next_h = d_next_h.data(),
                                                .d_next_c = d_next_c.data(),
                                                .d_gates = d_gates.mutable_data(),
                                                .d_h = d_h.mutable_data(),
                                                .d_c = d_c.mutable_data(),
                                                .d_bias = d_bias.mutable_data()});
  // Only a GRU's state has a way past its gates.
  if (kept.shape.cell != Cell::gru) return {d_gates, d_gates, Gradient(), Gradient(), d_c};
  const std::int64_t hidden = kept.h.size(1);
  const Tensor parts[] = {d_gates.slice(1, hidden, 3 * hidden), d_gates.slice(1, 0, hidden)};
  return {concat(parts, 1), d_gates.slice(1, hidden, 4 * hidden),
          d_bias.slice(0, 3 * hidden, 4 * hidden), d_h, Gradient()};
}

}  // namespace

RecurrentState recurrent_step(Cell cell, const RecurrentGates& gates,
                              const RecurrentState& before) {
  check(cell, gates, before);
  const bool lstm = cell == Cell::lstm;
  const std::int64_t batch = before.h.size(0);
  const std::int64_t hidden = before.h.size(1);
  const auto stored = static_cast<std::int64_t>(kernels::stored_gate_count(cell));
  KeptStep kept{.shape = {cell, static_cast<std::size_t>(batch), static_cast<std::size_t>(hidden)},
                .gates = Tensor({batch, stored * hidden}),
                .h = before.h.value().packed(),
                .c = lstm ? before.c.value().packed() : Tensor(),
                .next_h = Tensor({batch, hidden}),
                .next_c = lstm ? Tensor({batch, hidden}) : Tensor()};
  const Tensor from_input = gates.from_input.value().packed();
  const Tensor from_state = gates.from_state.value().packed();
  const Tensor candidate_bias = gates.candidate_bias.value().packed();
  kernels::rnn_cell_forward<Real>(kept.shape, {.from_input = from_input.data(),
                                               .from_state = from_state.data(),
                                               .candidate_bias = candidate_bias.data(),
                                               .h = kept.h.data(),
                                               .c = kept.c.data(),
                                               .gates = kept.gates.mutable_data(),
                                               .next_h = kept.next_h.mutable_data(),
                                               .next_c = kept.next_c.mutable_data()});
  PooledVector<Tensor> values;
  values.reserve(2);
  values.push_back(kept.next_h);
  if (lstm) values.push_back(kept.next_c);
  Variables next =
      record_many("recurrent_step", std::move(values),
                  {gates.from_input, gates.from_state, gates.candidate_bias, before.h, before.c},
                  [kept](const std::span<const Tensor>& dys) { return step_gradients(kept, dys); });
  return {std::move(next[0]), lstm ? std::move(next[1]) : Variable()};
}

}  // namespace heed
