// SPDX-License-Identifier: Apache-2.0
// Attention by dot products and softmax in one kernel (FlashAttention-like), equal to the
// composition beside it.
#pragma once

#include <optional>

#include "heed/attention/fused/operands.h"

namespace heed::attention {

struct DenseResult {
  Variable context;    // [B,H,Q,V], laid out in memory as the query is
  Tensor log_sum_exp;  // [B,H,Q]
};

// nullopt where the result is not finite: only the composition tells whether a NaN or infinity was
// seen or was in a masked key.
std::optional<DenseResult> dense_attention(const FusedInputs& inputs);

// The same by matrices of the size Q x K.
Variable composed_dense(const FusedInputs& inputs);

}  // namespace heed::attention
