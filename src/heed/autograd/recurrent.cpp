// SPDX-License-Identifier: Apache-2.0
// RNN, LSTM and GRU over a whole sequence as one op of up to three outputs.
#include "heed/autograd/kept_ids.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/recurrent/rnn.h"

namespace heed {
namespace {

using kernels::Cell;

void expect(bool fits, const char* what, const Variable& found, const Shape& wanted) {
  if (!fits || found.shape() != wanted) {
    throw UsageError("recurrent: {} has shape {}; it takes {}", what, found.shape().text(),
                     wanted.text());
  }
}

void check(Cell cell, const Variable& x, const RecurrentWeights& weights,
           const RecurrentState& initial, const Ids& lengths) {
  if (x.rank() != 3) throw UsageError("recurrent: input {}; it takes [T,B,I]", x.shape().text());
  if (weights.w_h.rank() != 2) {
    throw UsageError("recurrent: w_h {}; it takes [G*H, H]", weights.w_h.shape().text());
  }
  const auto gates = static_cast<std::int64_t>(kernels::gate_count(cell));
  const std::int64_t hidden = weights.w_h.size(1);
  expect(true, "w_h", weights.w_h, {gates * hidden, hidden});
  expect(true, "w_x", weights.w_x, {gates * hidden, x.size(2)});
  if (weights.bias.defined()) expect(true, "bias", weights.bias, {gates * hidden});
  if (weights.candidate_bias.defined()) {
    expect(cell == Cell::gru, "candidate_bias (GRU only)", weights.candidate_bias, {hidden});
  }
  if (initial.h.defined()) expect(true, "h", initial.h, {x.size(1), hidden});
  if (initial.c.defined())
    expect(cell == Cell::lstm, "c (LSTM only)", initial.c, {x.size(1), hidden});
  if (!lengths.defined()) return;
  if (lengths.shape() != Shape{x.size(1)}) {
    throw UsageError("recurrent: lengths {}; it takes [{}]", lengths.shape().text(), x.size(1));
  }
  check_ids(lengths, x.size(0) + 1, "recurrent lengths");
}

// All tensors of one call, contiguous; backward keeps them.
struct Call {
  kernels::RnnShape shape;
  Ids lengths;
  Tensor x, w_x, w_h, bias, candidate_bias, h0, c0, saved;

  kernels::RnnWeights<Real> weights() const {
    return {w_x.data(), w_h.data(), bias.data(), candidate_bias.data()};
  }
};

Gradients recurrent_backward(const Call& call, std::span<const Tensor> dys, Needs needs) {
  const auto straight = [&](std::size_t i) { return i < dys.size() ? dys[i].packed() : Tensor(); };
  const Tensor d_outputs = straight(0);
  const Tensor d_h_final = straight(1);
  const Tensor d_c_final = straight(2);
  Tensor dx = room_for_gradient(needs[0], call.x.shape());
  Tensor dw_x = room_for_gradient(needs[1], call.w_x.shape());
  Tensor dw_h = room_for_gradient(needs[2], call.w_h.shape());
  Tensor dbias = room_for_gradient(needs[3], call.bias.shape());
  Tensor dcandidate = room_for_gradient(needs[4], call.candidate_bias.shape());
  Tensor dh0 = room_for_gradient(needs[5], call.h0.shape());
  Tensor dc0 = room_for_gradient(needs[6], call.c0.shape());
  Tensor workspace(
      {static_cast<std::int64_t>(kernels::rnn_backward_workspace_size<Real>(call.shape))});
  kernels::rnn_backward<Real>(call.shape, call.weights(),
                              {.x = call.x.data(),
                               .saved = call.saved.data(),
                               .d_outputs = d_outputs.data(),
                               .d_h_final = d_h_final.data(),
                               .d_c_final = d_c_final.data(),
                               .d_x = dx.mutable_data(),
                               .d_w_x = dw_x.mutable_data(),
                               .d_w_h = dw_h.mutable_data(),
                               .d_bias = dbias.mutable_data(),
                               .d_candidate_bias = dcandidate.mutable_data(),
                               .d_h0 = dh0.mutable_data(),
                               .d_c0 = dc0.mutable_data(),
                               .workspace = workspace.mutable_data()});
  return {dx, dw_x, dw_h, dbias, dcandidate, dh0, dc0};
}

}  // namespace

RecurrentResult recurrent(Cell cell, const Variable& x, const RecurrentWeights& weights,
                          const RecurrentState& initial, const RecurrentOptions& options) {
  check(cell, x, weights, initial, options.lengths);
  const std::int64_t steps = x.size(0);
  const std::int64_t batch = x.size(1);
  const std::int64_t hidden = weights.w_h.size(1);
  Call call{.shape = {.cell = cell,
                      .steps = static_cast<std::size_t>(steps),
                      .batch = static_cast<std::size_t>(batch),
                      .inputs = static_cast<std::size_t>(x.size(2)),
                      .hidden = static_cast<std::size_t>(hidden),
                      .lengths = nullptr,
                      .reverse = options.reverse},
            .lengths = kept_ids(options.lengths),
            .x = x.value().packed(),
            .w_x = weights.w_x.value().packed(),
            .w_h = weights.w_h.value().packed(),
            .bias = weights.bias.value().packed(),
            .candidate_bias = weights.candidate_bias.value().packed(),
            .h0 = initial.h.value().packed(),
            .c0 = initial.c.value().packed(),
            .saved = {}};
  call.shape.lengths = call.lengths.data();
  call.saved = Tensor({static_cast<std::int64_t>(kernels::rnn_saved_size<Real>(call.shape))});
  Tensor workspace(
      {static_cast<std::int64_t>(kernels::rnn_forward_workspace_size<Real>(call.shape))});

  PooledVector<Tensor> values;
  values.reserve(3);
  values.emplace_back(Shape{steps, batch, hidden});
  values.emplace_back(Shape{batch, hidden});
  if (cell == Cell::lstm) values.emplace_back(Shape{batch, hidden});
  kernels::rnn_forward<Real>(call.shape, call.weights(),
                             {.x = call.x.data(),
                              .h0 = call.h0.data(),
                              .c0 = call.c0.data(),
                              .outputs = values[0].mutable_data(),
                              .h_final = values[1].mutable_data(),
                              .c_final = cell == Cell::lstm ? values[2].mutable_data() : nullptr,
                              .saved = call.saved.mutable_data(),
                              .workspace = workspace.mutable_data()});
  Variables outputs = record_many(
      "recurrent", std::move(values),
      {x, weights.w_x, weights.w_h, weights.bias, weights.candidate_bias, initial.h, initial.c},
      [call](const std::span<const Tensor>& dys, Needs needs) {
        return recurrent_backward(call, dys, needs);
      });
  return {outputs[0], {outputs[1], cell == Cell::lstm ? outputs[2] : Variable()}};
}

}  // namespace heed
