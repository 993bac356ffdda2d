// SPDX-License-Identifier: Apache-2.0
// Reading in order, and reading as a set.
#include "heed/models/point_encoder.h"

#include "heed/autograd/ops.h"
#include "heed/models/point_model.h"
#include "heed/models/sequences.h"
#include "heed/nn/recurrent.h"

namespace heed::models {
namespace {

class LstmPointEncoder final : public PointEncoder {
 public:
  LstmPointEncoder(std::int64_t width, Random& random)
      : network_({.cell = nn::Cell::lstm, .inputs = width, .hidden = width}, random) {}
  void visit(nn::ParameterVisitor& visitor) override { visitor("network", network_); }
  std::int64_t width() const override { return network_.layers.front().w_h.size(1); }
  EncoderStates operator()(const Variable& points, const Call&) const override {
    nn::RecurrentOutput read = network_(transpose(points, 0, 1));
    return {.states = by_sentence(read.outputs), .last = std::move(read.final)};
  }

 private:
  nn::RecurrentNetwork network_;
};

// Read: m_i = W relu(x_i). Process: q_t = LSTM(q_{t-1}, r_{t-1}), r_t = sum_i softmax(m_i q_t) m_i.
// An LSTM over q* = [q; r] as its state, as the paper has it, is one over q whose input is r.
class SetEncoder final : public PointEncoder {
 public:
  SetEncoder(std::int64_t width, int steps, Random& random)
      : steps_(steps),
        read_(width, width, random),
        process_({.cell = nn::Cell::lstm, .inputs = width, .hidden = width}, random),
        look_(attention::make_attention(
            "dot", {.query_width = width, .key_width = width, .value_width = width}, random)),
        start_(2 * width, width, random) {}

  void visit(nn::ParameterVisitor& visitor) override {
    visitor("read", read_);
    visitor("process", process_);
    visitor("attention", *look_);
    visitor("start", start_);
  }
  std::int64_t width() const override { return read_.weight.size(0); }

  EncoderStates operator()(const Variable& points, const Call& call) const override {
    const Variable states = read_(relu(points));  // [B,P,D]
    const std::int64_t batch = states.size(0);
    const Variable keys = reshape(states, {batch, 1, states.size(1), width()});
    const attention::Memory memory = look_->memory(keys, keys);
    Variable found(Tensor::zeros({1, batch, width()}));  // r
    nn::RecurrentStates last{
        {Variable(Tensor::zeros({batch, width()})), Variable(Tensor::zeros({batch, width()}))}};
    attention::AttentionState state;
    for (int step = 0; step < steps_; ++step) {
      last = process_(found, {.initial = last}).final;
      const attention::Attended seen =
          look_->attend(reshape(last[0].h, {batch, 1, 1, width()}), memory, state,
                        {.watch = call.watch, .site = kProcessSite});
      state = seen.state;
      found = reshape(seen.context, {1, batch, width()});
    }
    const Variable both = concat({last[0].h, reshape(found, {batch, width()})}, 1);
    return {.states = states, .last = {{start_(both, Activation::tanh), last[0].c}}};
  }

 private:
  int steps_;
  nn::Linear read_;
  nn::RecurrentNetwork process_;
  std::unique_ptr<attention::Attention> look_;
  nn::Linear start_;
};

}  // namespace

std::unique_ptr<PointEncoder> make_lstm_point_encoder(std::int64_t width, Random& random) {
  return std::make_unique<LstmPointEncoder>(width, random);
}

std::unique_ptr<PointEncoder> make_set_encoder(std::int64_t width, int steps, Random& random) {
  return std::make_unique<SetEncoder>(width, steps, random);
}

}  // namespace heed::models
