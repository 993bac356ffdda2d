// SPDX-License-Identifier: Apache-2.0
// Fused attention for a few queries over a long memory: the step of a decoder against its key/value
// cache, bound by reading the keys and values once. Letters as in attention.h.
#pragma once

#include "heed/kernels/attention/attention.h"

namespace heed::kernels {

// The same contract as attention_forward. Nothing is packed; the H/G query heads of a key head are
// rows of one product, so that each key and value is read once for all of them. Long memories are
// split over the threads; the bits do not depend on their number.
template <typename T>
bool attention_decode(const AttentionCall<T>& call, const Heads<T>& context,
                      T* log_sum_exp) noexcept;

// Whether attention_decode is the faster of the two for these sizes.
inline bool decode_fits(const AttentionSizes& sizes) noexcept {
  return sizes.key_heads > 0 && sizes.heads / sizes.key_heads * sizes.queries <= 16;
}

}  // namespace heed::kernels
