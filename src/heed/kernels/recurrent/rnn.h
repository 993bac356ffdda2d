// SPDX-License-Identifier: Apache-2.0
// Whole-sequence recurrent networks (tanh, relu, LSTM, GRU): all steps forward, all steps backward.
//
// T steps, B batch, I inputs, H hidden units, G gates (1 for tanh and relu, 4 for LSTM, 3 for GRU).
// Sequences are time-major: x [T,B,I], outputs [T,B,H]; states h and c are [B,H].
//
//   tanh, relu  h' = f(W_x x + W_h h + b)
//   LSTM        i, f, o = sigmoid(...), g = tanh(...)   each gate from its rows of W_x x + W_h h +
//   b
//               c' = f c + i g                          h' = o tanh(c')
//   GRU         r, z = sigmoid(...)                     n = tanh(W_xn x + b_n + r (W_hn h + b_hn))
//               h' = (1 - z) n + z h
//
// Gates are stacked in PyTorch's order (LSTM i, f, g, o; GRU r, z, n), so weights interchange.
// Where PyTorch has two biases per gate, pass their sum; only GRU's b_hn is apart, because r
// scales it.
#pragma once

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)  // exported

namespace heed::kernels {

enum class Cell { tanh, relu, lstm, gru };

// G of the notation above.
constexpr std::size_t gate_count(Cell cell) noexcept {
  return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1;
}

struct RnnShape {
  Cell cell = Cell::lstm;
  std::size_t steps = 0;
  std::size_t batch = 0;
  std::size_t inputs = 0;
  std::size_t hidden = 0;
  // [B], each 0..T, in any order; null: all are T. Past its length a sequence keeps its state and
  // its outputs are zero. x past a length must be finite; its values do not matter.
  const std::int32_t* lengths = nullptr;
  bool reverse = false;  // from each sequence's own last step to step 0
};

template <typename T>
struct RnnWeights {
  const T* w_x = nullptr;             // [G*H, I]
  const T* w_h = nullptr;             // [G*H, H]
  const T* bias = nullptr;            // [G*H]; null: zero
  const T* candidate_bias = nullptr;  // [H], b_hn of GRU; null: zero; not read for other cells
  // rnn_pack_recurrent of w_h, for weights that stay as they are over many calls; null: packed in
  // the workspace at every call.
  const T* packed_w_h = nullptr;
};

template <typename T>
struct RnnForward {
  const T* x = nullptr;           // [T,B,I]
  const T* h0 = nullptr;          // [B,H]; null: zero
  const T* c0 = nullptr;          // [B,H], LSTM only; null: zero
  T* outputs = nullptr;           // [T,B,H]
  std::size_t output_stride = 0;  // elements from one row of outputs to the next; 0: H
  T* h_final = nullptr;           // [B,H], or null
  T* c_final = nullptr;           // [B,H], or null; LSTM only
  T* saved = nullptr;             // rnn_saved_size elements, what backward needs
  T* workspace = nullptr;         // rnn_forward_workspace_size elements
};

template <typename T>
struct RnnBackward {
  const T* x = nullptr;           // as in forward
  const T* saved = nullptr;       // as forward left it
  const T* d_outputs = nullptr;   // [T,B,H], or null for zero; not read past a length
  std::size_t output_stride = 0;  // of d_outputs; 0: H
  const T* d_h_final = nullptr;   // [B,H], or null for zero
  const T* d_c_final = nullptr;   // [B,H], or null for zero; LSTM only
  // Each gradient is overwritten, or not computed where the pointer is null.
  T* d_x = nullptr;               // [T,B,I], zero past a length
  T* d_w_x = nullptr;             // [G*H, I]
  T* d_w_h = nullptr;             // [G*H, H]
  T* d_bias = nullptr;            // [G*H]
  T* d_candidate_bias = nullptr;  // [H], GRU only
  T* d_h0 = nullptr;              // [B,H]
  T* d_c0 = nullptr;              // [B,H], LSTM only
  T* workspace = nullptr;         // rnn_backward_workspace_size elements
};

// Sizes in elements of T. Buffers should be aligned to 64 bytes for speed; any alignment is right.
template <typename T>
std::size_t rnn_saved_size(const RnnShape& shape) noexcept;
template <typename T>
std::size_t rnn_forward_workspace_size(const RnnShape& shape) noexcept;
template <typename T>
std::size_t rnn_backward_workspace_size(const RnnShape& shape) noexcept;
template <typename T>
std::size_t rnn_packed_size(Cell cell, std::size_t hidden) noexcept;

// Re-lays w_h [G*H, H] so that the gates of a block of units lie together (see RnnWeights).
template <typename T>
void rnn_pack_recurrent(Cell cell, std::size_t hidden, const T* w_h, T* packed_w_h) noexcept;

template <typename T>
void rnn_forward(const RnnShape& shape, const RnnWeights<T>& weights,
                 const RnnForward<T>& arguments) noexcept;

template <typename T>
void rnn_backward(const RnnShape& shape, const RnnWeights<T>& weights,
                  const RnnBackward<T>& arguments) noexcept;

}  // namespace heed::kernels

#pragma GCC visibility pop
