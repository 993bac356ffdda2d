// SPDX-License-Identifier: Apache-2.0
// Attention by content alone with a layer's own projections, which learn nothing from it: what a
// segment looks at among old states, and how well slots stand for them (Rae 2020, algorithm 2).
//
// Letters: B tracks, T tokens, E states, D width, H heads.
#pragma once

#include "heed/models/transformer_stack.h"

namespace heed::models {

class SegmentAttention {
 public:
  // The layer's norm goes before its projections where the stack's norms come first.
  SegmentAttention(const TransformerStackOptions& options, const TransformerLayer& layer);

  // How much the states [B,E,D] are looked at by those of a segment [B,T,D], in the mean over heads
  // and tokens: [B,E].
  Tensor usage(const Tensor& segment, const Tensor& states) const;
  // |attention over states - attention over slots|^2, in the mean over tokens and features. Only
  // the slots [B,E/c,D] have a gradient.
  Variable reconstruction_loss(const Tensor& segment, const Tensor& states,
                               const Variable& slots) const;

 private:
  struct Projection {
    Tensor weight, bias;
    Variable operator()(const Variable& x) const;
  };
  Variable normed(const Variable& x) const;
  Variable weights(const Tensor& segment, const Variable& states) const;  // [B,H,T,E]
  Variable context(const Tensor& segment, const Variable& states) const;  // [B,H,T,Dv]

  std::int64_t heads_, key_heads_;
  bool norm_first_;
  nn::Norm norm_;
  Projection queries_, keys_, values_;
};

}  // namespace heed::models
