// SPDX-License-Identifier: Apache-2.0
// Products of few rows with a weight that is read as it is stored, row by row: nothing is packed
// before the first product, and weights may be stored in fewer bits. With one row the time is that
// of reading the weight, so a quarter of the bytes is nearly a quarter of the time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/base/exported.h"

#pragma GCC visibility push(default)  // exported

namespace heed::kernels {

// W [n,k]: values, or bfloat16, or whole numbers from -127 to 127 with a scale for each row.
template <typename T>
struct WeightRows {
  std::size_t n = 0;
  std::size_t k = 0;
  const T* values = nullptr;  // one of the three
  const std::uint16_t* bf16 = nullptr;
  const std::int8_t* whole = nullptr;
  const T* scales = nullptr;  // [n], of whole numbers
};

// y [m,n] = x W^T + bias (null: none); x [m,k]. y must not overlap what is read. Threads change
// nothing but the time.
template <typename T>
HEED_EXPORTED void weight_rows(const T* x, std::size_t m, const WeightRows<T>& w, const T* bias,
                               T* y) noexcept;

// w [n,k] in fewer bits. bf16: each value rounded to nearest, ties to even. whole: scales[i] is the
// largest of row i / 127 (0 for a row of zeros), and whole[i,j] the nearest to w[i,j] / scales[i].
// NaN and infinity are for the caller to keep away.
template <typename T>
HEED_EXPORTED void round_to_bf16(const T* w, std::size_t count, std::uint16_t* bf16) noexcept;
template <typename T>
HEED_EXPORTED void round_to_whole(const T* w, std::size_t n, std::size_t k, std::int8_t* whole,
                                  T* scales) noexcept;
// The values that a form stands for, [n,k].
template <typename T>
HEED_EXPORTED void values_of(const WeightRows<T>& w, T* values) noexcept;

}  // namespace heed::kernels

#pragma GCC visibility pop
