// SPDX-License-Identifier: Apache-2.0
// A step of the heads of a neural Turing machine (Graves 2014), forward and backward: find slots by
// content, interpolate, shift, sharpen, read, erase and add, in one pass over a sequence's slots
// that stays in cache.
//
// Matrices are row-major and contiguous. Each sequence is computed by one thread, so that the
// thread count changes no bit.
#pragma once

#include <cstddef>

#include "heed/base/exported.h"

namespace heed::kernels {

struct TuringHeadsShape {
  std::size_t slots, width, reads, writes;
  std::size_t range;  // of the shift; at most `slots`
  double epsilon;     // added to squared lengths

  std::size_t heads() const { return reads + writes; }
  std::size_t shares() const { return 2 * range + 1; }
  // What the controller says of one sequence, before any activation: keys [H,M], strengths [H],
  // gates [H], shares [H,2R+1], powers [H], erase [W,M], add [W,M].
  std::size_t said() const { return heads() * (width + 3 + shares()) + 2 * writes * width; }
  // What backward needs of one sequence beside inputs and weights: one over the lengths of slots
  // and keys, the activated numbers of each head, erase; then cosines, weights by content and
  // weights after the shift, [H,N] each.
  std::size_t kept() const {
    return slots + heads() + heads() * (3 + shares()) + writes * width + 3 * heads() * slots;
  }
};

template <typename T>
struct TuringHeadsInput {
  const T* memory;  // [B,N,M]
  const T* before;  // [B,H,N], the weights of the step before
  const T* said;    // [B,said]
};
template <typename T>
struct TuringHeadsOutput {
  T* read;     // [B,R,M], of the slots before they are written
  T* memory;   // [B,N,M]
  T* weights;  // [B,H,N]
  T* kept;     // [B,kept]
};
// Outputs must not be inputs. False where there is no memory to work in.
template <typename T>
HEED_EXPORTED bool turing_heads(const TuringHeadsShape& shape, std::size_t batch,
                                const TuringHeadsInput<T>& in,
                                const TuringHeadsOutput<T>& out) noexcept;

template <typename T>
struct TuringHeadsGradient {
  const T* read;     // [B,R,M], or null for none; likewise
  const T* memory;   // [B,N,M]
  const T* weights;  // [B,H,N]
};
template <typename T>
struct TuringHeadsChange {
  T* memory;  // as the inputs
  T* before;
  T* said;
};
template <typename T>
HEED_EXPORTED bool turing_heads_backward(const TuringHeadsShape& shape, std::size_t batch,
                                         const TuringHeadsInput<T>& in, const T* weights,
                                         const T* kept, const TuringHeadsGradient<T>& above,
                                         const TuringHeadsChange<T>& change) noexcept;

}  // namespace heed::kernels
