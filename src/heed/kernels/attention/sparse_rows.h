// SPDX-License-Identifier: Apache-2.0
// Sparsemax and alpha-entmax along rows, and their gradients: distributions with exact zeros.
//
// Matrices are row-major and contiguous: x, y, dy, dx [rows, columns]. y must not be x; dx may be
// y or dy. An item of -inf gets weight 0, a row of -inf only gets zeros. A NaN gives a NaN weight,
// +inf gives NaN. Finite items of any size give no NaN. Rows are spread over threads, and each row
// is computed by one thread: the thread count does not change a bit.
#pragma once

#include <cstddef>

#include "heed/base/exported.h"

namespace heed::kernels {

// y = [x - tau]+ with tau such that the row sums to one (Martins & Astudillo 2016).
template <typename T>
void sparsemax(const T* x, T* y, std::size_t rows, std::size_t columns) noexcept;

// dx = dy - (mean of dy over the support) on the support of y, 0 elsewhere, whatever dy holds
// there.
template <typename T>
void sparsemax_backward(const T* y, const T* dy, T* dx, std::size_t rows,
                        std::size_t columns) noexcept;

// y = [1 + (alpha-1)(x - theta)]+^(1/(alpha-1)) with theta such that the row sums to one (Peters,
// Niculae & Martins 2019); alpha >= .9, 1 is softmax, 2 is sparsemax.
template <typename T>
HEED_EXPORTED void entmax(double alpha, const T* x, T* y, std::size_t rows,
                          std::size_t columns) noexcept;

// dx = u (dy - <u, dy> / sum u), u = y^(2 - alpha) on the support of y, 0 elsewhere, whatever dy
// holds there.
template <typename T>
HEED_EXPORTED void entmax_backward(double alpha, const T* y, const T* dy, T* dx, std::size_t rows,
                                   std::size_t columns) noexcept;

// sum dy dp/dalpha over one row of n items, y the output of entmax.
template <typename T>
double entmax_alpha_gradient(double alpha, const T* y, const T* dy, std::size_t n) noexcept;

}  // namespace heed::kernels
