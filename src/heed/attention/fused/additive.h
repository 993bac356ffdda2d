// SPDX-License-Identifier: Apache-2.0
// Attention by additive scores and softmax, a block of queries at a time: no memory of the size
// Q x K, and none of Q x K x S. Letters as in additive_scores.h, V the width of the values.
#pragma once

#include <memory>
#include <optional>

#include "heed/attention/pattern.h"
#include "heed/autograd/ops.h"

namespace heed::attention {

struct AdditiveInputs {
  Variable query;   // [B,H,Q,S], projected
  Variable keys;    // [B,G,K,S], projected
  Variable v;       // [S] or [H,S]
  Variable values;  // [B,G,K,V]
  Activation activation = Activation::tanh;
  std::shared_ptr<const BoundPattern> pattern{};
  DropoutMask dropout{};  // of the weights
};

struct AdditiveResult {
  Variable context;    // [B,H,Q,V]
  Tensor log_sum_exp;  // [B,H,Q]
};

// nullopt where the result is not finite: only the composition tells whether a NaN or infinity was
// seen or was in a masked key. UsageError for shapes that do not fit.
std::optional<AdditiveResult> additive_attention(const AdditiveInputs& inputs);

// The same by matrices of the size Q x K.
AdditiveResult composed_additive_attention(const AdditiveInputs& inputs);

}  // namespace heed::attention
