// SPDX-License-Identifier: Apache-2.0
// A masked language model, which guesses hidden words from both sides (Devlin 2019): a text encoder
// and a head whose output is tied to the embeddings. A classifier may start from its encoder.
#pragma once  // public header

#include "heed/models/text_encoder.h"
#include "heed/nn/linear.h"
#include "heed/nn/norm.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

class MaskedModel {
 public:
  MaskedModel(const TextEncoderOptions& options, Random& random);

  // The logits [N,V] of the tokens at `places` [N] of the flattened text [B*S].
  Variable operator()(const Sequences& text, const Ids& places, const Call& call = {}) const;

  std::int64_t longest() const { return encoder_.longest(); }
  void visit(nn::ParameterVisitor& visitor);
  text::Token vocabulary() const { return static_cast<text::Token>(output_bias_.size(0)); }

 private:
  TextEncoder encoder_;
  nn::Linear transform_;
  nn::Norm norm_;
  Variable output_bias_;  // [V]
};

}  // namespace heed::models

#pragma GCC visibility pop
