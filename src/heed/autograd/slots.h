// SPDX-License-Identifier: Apache-2.0
// Reading and writing a memory of slots, as a neural Turing machine does in each step (Graves 2014,
// section 3): one op, forward and backward. B sequences, N slots of width M, R heads that read, W
// that write.
#pragma once  // public header

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

struct SlotWrites {
  Variable weights;  // [B,W,N], where each head writes
  Variable erase;    // [B,W,M], from 0 to 1
  Variable add;      // [B,W,M]
};

struct SlotsAfter {
  Variable read;    // [B,R,M]
  Variable memory;  // [B,N,M]
};

// Reads before it writes: read = weights . memory, and
//   memory <- memory ∘ Π_h (1 - w_h e_hᵀ) + Σ_h w_h a_hᵀ:
// all heads erase, then all add, so that none erases what another has added in the same step.
// UsageError for shapes that do not fit.
SlotsAfter read_and_write(const Variable& memory, const Variable& read_weights,
                          const SlotWrites& writes);

}  // namespace heed

#pragma GCC visibility pop
