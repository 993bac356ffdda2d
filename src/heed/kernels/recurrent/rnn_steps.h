// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent network for a slice of its hidden units: the part of rnn.h that every
// thread repeats T times.
#pragma once

#include <cstddef>

#include "heed/kernels/recurrent/rnn.h"

namespace heed::kernels {

// Where the rows of one shape lie. Strides of a multiple of 1 KiB would put all rows of a batch
// into the same few sets of the first cache, so those get one cache line more.
template <typename T>
struct RnnLayout {
  explicit RnnLayout(const RnnShape& shape) noexcept
      : gates(gate_count(shape.cell)),
        stored_gates(shape.cell == Cell::gru ? 4 : gates),
        stride(stored_gates * shape.hidden) {
    if (stride % (1024 / sizeof(T)) == 0) stride += 64 / sizeof(T);
  }
  std::size_t gates;
  // Forward keeps the gates as they leave the activations; GRU also W_hn h + b_hn, after r, z, n.
  // Backward keeps their gradients in the same number of columns; GRU's are n, r, z and r n: the
  // first three are those of W_x x, the last three those of W_h h.
  std::size_t stored_gates;
  std::size_t stride;  // of a row of stored gates
};

// Slot of the state before and after time t, of T + 1 slots.
struct RnnSlots {
  std::size_t before, after;
};
inline RnnSlots slots_of(const RnnShape& shape, std::size_t t) noexcept {
  return shape.reverse ? RnnSlots{t + 1, t} : RnnSlots{t, t + 1};
}
// The time that is the s-th to be computed.
inline std::size_t time_of(const RnnShape& shape, std::size_t s) noexcept {
  return shape.reverse ? shape.steps - 1 - s : s;
}

// Buffers of a forward call, laid out.
template <typename T>
struct RnnForwardBuffers {
  T* gates;             // [T,B,stride]: on entry W_x x + b, on return activated
  T* h;                 // [T+1,B,H]
  T* c;                 // [T+1,B,H], LSTM only
  const T* packed_w_h;  // rnn_pack_recurrent
  const T* candidate_bias;
  T* outputs;
  std::size_t output_stride;
  T* products;  // [unit block][B, G, columns]: W_h h of one block; a thread uses its first one
};

template <typename T>
struct RnnBackwardBuffers {
  const T* gates;
  const T* h;
  const T* c;
  const T* packed_w_h;  // pack() of w_h, [G*H, H]
  const T* d_outputs;   // or null
  std::size_t output_stride;
  T* d_gates;   // [T,B,stride]
  T* d_h;       // [B,H]: on entry what reaches h' past W_h, on return what reaches h so
  T* d_c;       // [B,H]
  T* d_bias;    // [stored gates, H], added to
  T* products;  // [unit block][B, columns]: d_gates W_h of one block
};

// A slice: blocks [begin, end) of panel_columns hidden units each (gemm_blocks.h).
struct UnitBlocks {
  std::size_t begin, end;
};

// Time t forward: gates, states and outputs of a slice. The states before t must be complete.
template <typename T>
void rnn_forward_step(const RnnShape& shape, const RnnForwardBuffers<T>& buffers, std::size_t t,
                      UnitBlocks slice) noexcept;

// The s-th step backward: d_gates of a slice. The d_gates of step s + 1 must be complete.
template <typename T>
void rnn_backward_step(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers, std::size_t s,
                       UnitBlocks slice) noexcept;

// d_h += d_gates W_h of the first step, so that d_h is the gradient of h0 in a slice.
template <typename T>
void rnn_backward_end(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers,
                      UnitBlocks slice) noexcept;

}  // namespace heed::kernels
