// SPDX-License-Identifier: Apache-2.0
// Strides: how far apart the rows and columns of a two-dimensional operand lie.
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)  // exported

namespace heed::kernels {

// Distances in elements: item (r, c) is at r * row + c * column. Zero repeats (broadcasts) along
// that side, negative walks backwards.
struct Strides {
  std::ptrdiff_t row;
  std::ptrdiff_t column;
};

}  // namespace heed::kernels

#pragma GCC visibility pop
