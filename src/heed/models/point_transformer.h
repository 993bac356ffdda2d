// SPDX-License-Identifier: Apache-2.0
// The attention model (Kool 2019): points read by a Transformer without positions, and a decoder
// without a recurrent network. Its context is [mean of all states; first point; last point]; one
// look with several heads, then u = 10 tanh(q k / sqrt(D)) points.
#pragma once

#include <memory>

#include "heed/attention/multi_head.h"
#include "heed/models/point_model.h"
#include "heed/models/transformer_stack.h"
#include "heed/nn/linear.h"

namespace heed::models {

class PointTransformer final : public PointModel {
 public:
  PointTransformer(const PointModelOptions& options, Random& random);

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
  // context [B,T,3D], the first of T being choice `first` -> logits [B*T,1+P]
  Variable look(const Read& read, const Variable& context, const Tensor& allowed,
                std::int64_t first, const Call& call) const;
  // ends [B,T,2D], first and last points -> [B,T,3D]
  Variable context(const Read& read, const Variable& ends) const;
  // [B,1,2D], what stands for first and last before there are any
  Variable no_ends(std::int64_t batch) const;

  PointModelOptions options_;
  nn::Linear embed_;
  TransformerStack stack_;
  Variable start_;  // [2D]
  Variable end_;    // [D], key 0
  attention::MultiHead glimpse_;
  nn::Linear keys_;
  std::shared_ptr<attention::Attention> pointing_;
};

}  // namespace heed::models
