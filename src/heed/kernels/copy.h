// SPDX-License-Identifier: Apache-2.0
// Copies, contiguous and strided (transposes included).
#pragma once

#include <cstddef>

#include "heed/kernels/strides.h"

namespace heed::kernels {

// y = x; they may not overlap.
template <typename T>
void copy(const T* x, T* y, std::size_t n) noexcept;

// y[r, c] = x[r, c]; x and y may not overlap. Contiguous rows, repeated values (column stride 0)
// and transposes (one side contiguous along rows, the other along columns) are fast.
template <typename T>
void copy_strided(std::size_t rows, std::size_t columns, const T* x, Strides x_strides, T* y,
                  Strides y_strides) noexcept;

}  // namespace heed::kernels
