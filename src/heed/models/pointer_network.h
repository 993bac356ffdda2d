// SPDX-License-Identifier: Apache-2.0
// A pointer network (Vinyals 2015): an encoder of points, and an LSTM whose next input is the point
// it pointed at. Its attention has u_j = v tanh(W1 e_j + W2 d), and p = softmax(u) is the output.
#pragma once

#include <memory>

#include "heed/models/point_model.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed::models {

class PointerNetwork final : public PointModel {
 public:
  PointerNetwork(const PointModelOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor) override;
  std::int64_t features() const override { return options_.features; }
  Encoded read(const Variable& points, const Call& call) const override;
  Variable decode(const Encoded& encoded, const Ids& choices, const Call& call) const override;
  DecoderState start(const Encoded& encoded) const override;
  Step step(const Encoded& encoded, const DecoderState& state, const Ids& chosen,
            const Call& call) const override;

 private:
  struct Read;
  struct Written;
  // Where the two attentions are between steps.
  struct Looks {
    attention::AttentionState glimpse{};
    attention::AttentionState pointing{};
    void visit(StateVisitor& visitor) {
      visitor("glimpse", glimpse);
      visitor("pointing", pointing);
    }
  };
  // hidden [B,T,D], the LSTM's states -> logits [B*T,1+P]; looks become those after them.
  Variable look(const Read& read, const Variable& hidden, const Tensor& allowed, Looks& looks,
                const Call& call) const;

  PointModelOptions options_;
  nn::Linear embed_;
  std::shared_ptr<Encoder<Variable>> encoder_;
  Variable start_;  // [D], the decoder's first input
  Variable end_;    // [D], key 0
  nn::RecurrentNetwork decoder_;
  std::shared_ptr<attention::Attention> glimpse_;  // may be none
  std::shared_ptr<attention::Attention> pointing_;
};

}  // namespace heed::models
