// SPDX-License-Identifier: Apache-2.0
// The single-threaded heart of a matrix product: one window of C, cut into blocks that fit the
// caches. gemm.h is the public face; this is what it and the RNN share.
#pragma once

#include <cstddef>

#include "heed/kernels/products/gemm.h"

namespace heed::kernels {

template <typename T>
struct GemmProblem {
  GemmOptions<T> options;       // with the leading dimensions filled in
  const T* a = nullptr;         // as options describe it
  const T* b = nullptr;         // likewise; null when packed_b is given
  const T* packed_b = nullptr;  // as pack() leaves it
  T* c = nullptr;
};

// Rows and columns of C. With a packed B, column_begin is a multiple of panel_columns.
struct GemmWindow {
  std::size_t row_begin = 0;
  std::size_t row_end = 0;
  std::size_t column_begin = 0;
  std::size_t column_end = 0;
};

template <typename T>
void gemm_window(const GemmProblem<T>& problem, const GemmWindow& window) noexcept;

// c = activation(c + bias) over a window, for products computed elsewhere.
template <typename T>
void gemm_finish(const GemmProblem<T>& problem, const GemmWindow& window) noexcept;

// Columns of one panel of packed B, on the CPU target in use.
template <typename T>
std::size_t panel_columns() noexcept;

// Packs panels [panel_begin, panel_end) only; pack() is all of them.
template <typename T>
void pack_panels(const T* b, const PackOptions& options, std::size_t panel_begin,
                 std::size_t panel_end, T* packed_b) noexcept;

}  // namespace heed::kernels
