// SPDX-License-Identifier: Apache-2.0
// The additive score of many queries at once, with the gradients of its projections, one row of the
// batch at a time: only the keys' projection is ever there as a whole. Letters as in
// additive_scores.h.
#pragma once

#include "heed/attention/scores/additive_scores.h"

namespace heed::attention {

struct AdditiveRows {
  const Variable& query;           // [B,H,Q,Dq]
  const Variable& keys;            // [B,G,K,Dk]
  const Tensor& projected;         // [B,G,K,S], W1 keys, as the memory holds it
  const AdditiveWeights& weights;  // of H and G heads
};

// The value and the gradients of additive_scores(project_heads(query, W2), project_heads(keys, W1),
// v, activation) -> [B,H,Q,K]. The query is projected again in backward, and the gradients go to
// query, keys and weights directly: at B = 8, Q = K = 512 and S = 256 the composition holds 16 MiB
// besides (both projections and their gradients), this the keys' projection and 2 MiB. It pays for
// many queries: each call multiplies by W1 and W2 in backward, the composition once per memory.
Variable additive_row_scores(const AdditiveRows& rows, Activation activation);

}  // namespace heed::attention
