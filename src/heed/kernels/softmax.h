// SPDX-License-Identifier: Apache-2.0
// Softmax along rows, its logarithm and their gradients.
//
// Matrices are row-major and contiguous: x [rows, columns], columns >= 0. Outputs may be one of the
// inputs. An item of -inf gets weight 0. A row of -inf only has no distribution: softmax gives
// zeros, log_softmax and log_sum_exp give -inf, the gradients are 0. A row with NaN or +inf gives
// NaN (log_sum_exp: +inf for +inf). Rows are spread over threads, and each row is computed by one
// thread: the thread count does not change a bit.
#pragma once

#include <cstddef>

#include "heed/base/exported.h"

namespace heed::kernels {

// y = exp(x - max) / sum exp(x - max)
template <typename T>
HEED_EXPORTED void softmax(const T* x, T* y, std::size_t rows, std::size_t columns) noexcept;

// dx = y * (dy - sum(y * dy)), y the output of softmax.
template <typename T>
void softmax_backward(const T* y, const T* dy, T* dx, std::size_t rows,
                      std::size_t columns) noexcept;

// y = x - log sum exp(x)
template <typename T>
HEED_EXPORTED void log_softmax(const T* x, T* y, std::size_t rows, std::size_t columns) noexcept;

// dx = dy - exp(y) * sum(dy), y the output of log_softmax.
template <typename T>
void log_softmax_backward(const T* y, const T* dy, T* dx, std::size_t rows,
                          std::size_t columns) noexcept;

// y[rows] = log sum exp(x) per row.
template <typename T>
void log_sum_exp(const T* x, T* y, std::size_t rows, std::size_t columns) noexcept;

}  // namespace heed::kernels
