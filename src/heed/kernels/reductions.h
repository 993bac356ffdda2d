// SPDX-License-Identifier: Apache-2.0
// Sums, extremes and running sums, over all items or along one side of a matrix.
//
// Matrices are row-major and contiguous: x [rows, columns]. Same bits for the same thread count.
// Sums add blocks of a thousand items pairwise, each block in several accumulators: the error
// grows with the logarithm of n, not with n. NaN: a sum or extreme with a NaN among its items is
// NaN.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/base/exported.h"

namespace heed::kernels {

template <typename T>
T sum(const T* x, std::size_t n) noexcept;
template <typename T>
HEED_EXPORTED T sum_squares(const T* x, std::size_t n) noexcept;
template <typename T>
T dot(const T* a, const T* b, std::size_t n) noexcept;

// -inf and +inf for n = 0.
template <typename T>
HEED_EXPORTED T maximum(const T* x, std::size_t n) noexcept;
template <typename T>
T minimum(const T* x, std::size_t n) noexcept;

// The lowest index of the largest item; a NaN counts as larger than every number, so the first NaN
// wins. 0 for n = 0.
template <typename T>
HEED_EXPORTED std::size_t argmax(const T* x, std::size_t n) noexcept;

// y[rows] = one sum per row.
template <typename T>
void sum_rows(const T* x, std::size_t rows, std::size_t columns, T* y) noexcept;

// y[columns] = sum over the rows, whatever the thread count in the same order.
template <typename T>
void sum_columns(const T* x, std::size_t rows, std::size_t columns, T* y) noexcept;

// y[columns] += sum over the rows.
template <typename T>
void add_columns(const T* x, std::size_t rows, std::size_t columns, T* y) noexcept;

// y[rows] = the largest item per row; index[rows], unless null, its column as argmax has it.
template <typename T>
HEED_EXPORTED void maximum_rows(const T* x, std::size_t rows, std::size_t columns, T* y,
                                std::int32_t* index) noexcept;

// y[columns] = the largest item per column; index[columns], unless null, its row.
template <typename T>
void maximum_columns(const T* x, std::size_t rows, std::size_t columns, T* y,
                     std::int32_t* index) noexcept;

// Which way a running sum walks.
enum class Direction { forward, reverse };

// y[r, c] = x[r, 0] + ... + x[r, c], or x[r, c] + ... + x[r, columns - 1] in reverse. y may be x.
template <typename T>
void cumulative_sum(const T* x, std::size_t rows, std::size_t columns, T* y,
                    Direction direction) noexcept;

}  // namespace heed::kernels
