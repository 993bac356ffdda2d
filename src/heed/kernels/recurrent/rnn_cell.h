// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent cell whose products are there already: the gates and what they make of
// the state. Equations, letters and gate order as in rnn.h.
#pragma once

#include <cstddef>

#include "heed/kernels/recurrent/rnn.h"

namespace heed::kernels {

struct RnnCellShape {
  Cell cell = Cell::lstm;
  std::size_t batch = 0;
  std::size_t hidden = 0;
};

// Gates as backward reads them: G, but for GRU also W_hn h + b_hn, after r, z and n.
constexpr std::size_t stored_gate_count(Cell cell) noexcept {
  return cell == Cell::gru ? 4 : gate_count(cell);
}

template <typename T>
struct RnnCellForward {
  const T* from_input = nullptr;      // [B, G*H], W_x x + b
  const T* from_state = nullptr;      // [B, G*H], W_h h
  const T* candidate_bias = nullptr;  // [H], GRU only; null: zero
  const T* h = nullptr;               // [B,H]
  const T* c = nullptr;               // [B,H], LSTM only
  T* gates = nullptr;                 // [B, stored gates * H], for backward
  T* next_h = nullptr;                // [B,H]
  T* next_c = nullptr;                // [B,H], LSTM only
};

template <typename T>
void rnn_cell_forward(const RnnCellShape& shape, const RnnCellForward<T>& arguments) noexcept;

template <typename T>
struct RnnCellBackward {
  const T* gates = nullptr;     // as forward left them
  const T* h = nullptr;         // [B,H], before the step
  const T* c = nullptr;         // [B,H], before the step; LSTM only
  const T* next_h = nullptr;    // [B,H]
  const T* next_c = nullptr;    // [B,H], LSTM only
  const T* d_next_h = nullptr;  // [B,H], or null for zero
  const T* d_next_c = nullptr;  // [B,H], or null for zero; LSTM only
  // [B, stored gates * H]. GRU's are n, r, z and r n: the gradient of from_input is r, z, n, that
  // of from_state the last three.
  T* d_gates = nullptr;
  T* d_h = nullptr;     // [B,H], past from_state
  T* d_c = nullptr;     // [B,H], LSTM only
  T* d_bias = nullptr;  // [stored gates * H], the sum of the rows of d_gates
};

template <typename T>
void rnn_cell_backward(const RnnCellShape& shape, const RnnCellBackward<T>& arguments) noexcept;

}  // namespace heed::kernels
