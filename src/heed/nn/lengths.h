// SPDX-License-Identifier: Apache-2.0
// Sequences of different lengths in one batch: what is beyond a sequence's length is padding.
#pragma once

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

// How many of `keys` keys a sequence has: lengths [B], or not defined, which means all.
std::int64_t length_of(const Ids& lengths, std::int64_t sequence, std::int64_t keys);

// x [B,G,K,D] with zeros for padding, whatever it holds there; x itself where there is none.
Variable without_padding(const Variable& x, const Ids& lengths);

// UsageError naming the part unless lengths is [batch] and every length is from 0 to `keys`.
void check_lengths(const char* part, const Ids& lengths, std::int64_t batch, std::int64_t keys);

}  // namespace heed::nn

#pragma GCC visibility pop
