// SPDX-License-Identifier: Apache-2.0
// Fused attention over short sequences, where packing keys and carrying a softmax from block to
// block would cost more than it saves.
#pragma once

#include "heed/kernels/attention/attention.h"

namespace heed::kernels {

// Whether attention_short takes the call, and is the faster way.
template <typename T>
bool short_fits(const AttentionCall<T>& call) noexcept;

// As attention_forward, for calls that fit.
template <typename T>
bool attention_short(const AttentionCall<T>& call, const Heads<T>& context,
                     T* log_sum_exp) noexcept;

}  // namespace heed::kernels
