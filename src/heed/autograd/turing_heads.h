// SPDX-License-Identifier: Apache-2.0
// A whole step of the usual heads of a neural Turing machine as one op.
//
// Letters: B sequences, N slots of width M, R heads that read, W that write, H of both.
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // libheed calls it

namespace heed {

struct TuringHeadsSizes {
  std::int64_t reads = 1, writes = 1;
  std::int64_t range = 1;  // of the shift
  double epsilon = 1e-6;   // added to squared lengths
};

struct TuringHeadsAfter {
  Variable read;     // [B,R,M], of the slots as they were
  Variable memory;   // [B,N,M], erased and added to
  Variable weights;  // [B,H,N], heads that read first
};

// What `cosine(strength=query, project=true) | full | softmax | interpolate | shift | sharpen` and
// read_and_write do together: memory [B,N,M], before [B,H,N] the weights of the step before, said
// [B,...] what the controller says, before any activation, one after the other: keys [H,M],
// strengths [H], gates [H], shares [H,2 range + 1], powers [H], erase [W,M], add [W,M].
// UsageError for shapes that do not fit.
TuringHeadsAfter turing_heads(const Variable& memory, const Variable& before, const Variable& said,
                              const TuringHeadsSizes& sizes);

}  // namespace heed

#pragma GCC visibility pop
