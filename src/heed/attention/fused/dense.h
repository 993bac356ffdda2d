// SPDX-License-Identifier: Apache-2.0
// Attention by scaled dot products and softmax in one kernel, equal to the composition beside it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/attention/pattern.h"
#include "heed/attention/score_change.h"
#include "heed/autograd/ops.h"

namespace heed::attention {

// Letters as in score.h.
struct DenseInputs {
  Variable query;   // [B,H,Q,D], any strides
  Variable keys;    // [B,G,K,D]
  Variable values;  // [B,G,K,V]
  Real scale = 1;
  std::vector<TileChange> changes{};  // of the scaled scores, in order
  std::shared_ptr<const BoundPattern> pattern{};
  DropoutMask dropout{};  // of the weights
};

struct DenseResult {
  Variable context;    // [B,H,Q,V], laid out in memory as the query is
  Tensor log_sum_exp;  // [B,H,Q]
};

// nullopt where the result is not finite: only the composition tells whether a NaN or infinity was
// seen or stood in a masked key.
std::optional<DenseResult> dense_attention(const DenseInputs& inputs);

// The same by matrices of the size Q x K.
DenseResult composed_attention(const DenseInputs& inputs);

}  // namespace heed::attention
