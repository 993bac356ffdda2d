// SPDX-License-Identifier: Apache-2.0
// Binary operations on two-dimensional operands with any strides, broadcasting included.
#pragma once

#include <cstddef>

#include "heed/kernels/strides.h"

#pragma GCC visibility push(default)  // exported

namespace heed::kernels {

// Comparisons give 1 or 0 (0 when either side is NaN). maximum and minimum give NaN when either
// side is NaN. power follows std::pow.
enum class Binary {
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  power,
  less,
  less_equal,
  equal
};

// y[r, c] = a[r, c] op b[r, c]; y's columns are contiguous, its rows y_row elements apart. Column
// strides 1 and 0 are fast, others go item by item. y may be a or b when the strides agree, but not
// overlap them otherwise. Every item is computed alone: the thread count does not change a bit.
template <typename T>
void binary(Binary op, std::size_t rows, std::size_t columns, const T* a, Strides a_strides,
            const T* b, Strides b_strides, T* y, std::ptrdiff_t y_row) noexcept;

}  // namespace heed::kernels

#pragma GCC visibility pop
