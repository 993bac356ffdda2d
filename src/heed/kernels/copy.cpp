// SPDX-License-Identifier: Apache-2.0
// Copies: contiguous, strided, and transposes by tiles that stay in registers and L1.
#include "heed/kernels/copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/copy.cpp"
#include "heed/kernels/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// y[r, c] = x[r, c] for an incomplete tile, x's rows and y's columns contiguous.
template <typename T>
void TransposeEdge(std::size_t rows, std::size_t columns, const T* x, std::ptrdiff_t x_column, T* y,
                   std::ptrdiff_t y_row) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      y[static_cast<std::ptrdiff_t>(r) * y_row + static_cast<std::ptrdiff_t>(c)] =
          x[static_cast<std::ptrdiff_t>(c) * x_column + static_cast<std::ptrdiff_t>(r)];
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// A block of one 128-bit vector each way: x's four (or two) columns become y's rows.
HWY_INLINE void TransposeBlock(const float* x, std::ptrdiff_t x_column, float* y,
                               std::ptrdiff_t y_row) {
  const hn::Full128<float> d;
  const hn::Full128<double> wide;
  const auto column0 = hn::LoadU(d, x), column1 = hn::LoadU(d, x + x_column);
  const auto column2 = hn::LoadU(d, x + 2 * x_column), column3 = hn::LoadU(d, x + 3 * x_column);
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, column0, column1));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, column2, column3));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, column0, column1));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, column2, column3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, y);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, y + y_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d, y + 2 * y_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d, y + 3 * y_row);
}
HWY_INLINE void TransposeBlock(const double* x, std::ptrdiff_t x_column, double* y,
                               std::ptrdiff_t y_row) {
  const hn::Full128<double> d;
  const auto column0 = hn::LoadU(d, x), column1 = hn::LoadU(d, x + x_column);
  hn::StoreU(hn::InterleaveLower(d, column0, column1), d, y);
  hn::StoreU(hn::InterleaveUpper(d, column0, column1), d, y + y_row);
}
#endif

// A tile holds one cache line of x and of y in each direction. It is turned into a buffer first:
// with a power of two as stride the lines of y share a few cache sets, and writing each line at
// once keeps it from being evicted half done.
template <typename T>
HWY_INLINE void TransposeRange(std::size_t rows, std::size_t columns, const T* x,
                               std::ptrdiff_t x_column, T* y, std::ptrdiff_t y_row) {
  constexpr std::size_t kTile = 64 / sizeof(T);
  for (std::size_t r = 0; r < rows; r += kTile) {
    for (std::size_t c = 0; c < columns; c += kTile) {
      const T* from = x + static_cast<std::ptrdiff_t>(c) * x_column + r;
      T* to = y + static_cast<std::ptrdiff_t>(r) * y_row + c;
#if HWY_TARGET != HWY_SCALAR
      if (r + kTile <= rows && c + kTile <= columns) {
        constexpr std::size_t kBlock = 16 / sizeof(T);
        static_assert(kTile % kBlock == 0);
        alignas(64) std::array<T, kTile * kTile> tile;
        for (std::size_t j = 0; j < kTile; j += kBlock) {
          for (std::size_t i = 0; i < kTile; i += kBlock) {
            TransposeBlock(from + static_cast<std::ptrdiff_t>(j) * x_column + i, x_column,
                           tile.data() + i * kTile + j, kTile);
          }
        }
        for (std::size_t i = 0; i < kTile; ++i) {
          std::memcpy(to + static_cast<std::ptrdiff_t>(i) * y_row, tile.data() + i * kTile, 64);
        }
        continue;
      }
#endif
      TransposeEdge(std::min(kTile, rows - r), std::min(kTile, columns - c), from, x_column, to,
                    y_row);
    }
  }
}

void TransposeEntry(std::size_t rows, std::size_t columns, const Scalar* x, std::ptrdiff_t x_column,
                    Scalar* y, std::ptrdiff_t y_row) {
  TransposeRange(rows, columns, x, x_column, y, y_row);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(TransposeEntry);

namespace {

// One row of any strides.
template <typename T>
void copy_row(std::size_t columns, const T* x, std::ptrdiff_t x_column, T* y,
              std::ptrdiff_t y_column) noexcept {
  if (x_column == 1 && y_column == 1) {
    if (columns > 0) std::memcpy(y, x, columns * sizeof(T));
    return;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    const auto column = static_cast<std::ptrdiff_t>(c);
    y[column * y_column] = x[column * x_column];
  }
}

}  // namespace

template <typename T>
void copy(const T* x, T* y, std::size_t n) noexcept {
  parallel_for(n, kElementwiseGrain, [=](std::size_t begin, std::size_t end) {
    std::memcpy(y + begin, x + begin, (end - begin) * sizeof(T));
  });
}

template <typename T>
void copy_strided(std::size_t rows, std::size_t columns, const T* x, Strides x_strides, T* y,
                  Strides y_strides) noexcept {
  if (rows == 0 || columns == 0) return;
  const auto width = static_cast<std::ptrdiff_t>(columns);
  if (x_strides.row == x_strides.column * width && y_strides.row == y_strides.column * width) {
    // Rows that follow each other without gaps are one row.
    columns *= rows;
    rows = 1;
  }
  if (rows == 1 || columns == 1) {
    const std::ptrdiff_t from = rows == 1 ? x_strides.column : x_strides.row;
    const std::ptrdiff_t to = rows == 1 ? y_strides.column : y_strides.row;
    if (from == 0 && to == 1) return fill(y, rows * columns, *x);
    return parallel_for(rows * columns, kElementwiseGrain, [=](std::size_t begin, std::size_t end) {
      const auto offset = static_cast<std::ptrdiff_t>(begin);
      copy_row(end - begin, x + offset * from, from, y + offset * to, to);
    });
  }
  if (x_strides.column == 1 && y_strides.row == 1) {
    // Seen from y, x is transposed: let the rows be y's contiguous side.
    std::swap(rows, columns);
    std::swap(x_strides.row, x_strides.column);
    std::swap(y_strides.row, y_strides.column);
  }
  const std::size_t grain = (kElementwiseGrain + columns - 1) / columns;
  if (x_strides.row == 1 && y_strides.column == 1) {
    const auto run = HWY_DYNAMIC_DISPATCH(TransposeEntry);
    return parallel_for(rows, grain, [=](std::size_t begin, std::size_t end) {
      run(end - begin, columns, x + begin, x_strides.column,
          y + static_cast<std::ptrdiff_t>(begin) * y_strides.row, y_strides.row);
    });
  }
  parallel_for(rows, grain, [=](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const auto row = static_cast<std::ptrdiff_t>(r);
      copy_row(columns, x + row * x_strides.row, x_strides.column, y + row * y_strides.row,
               y_strides.column);
    }
  });
}

template void copy(const Scalar*, Scalar*, std::size_t) noexcept;
template void copy_strided(std::size_t, std::size_t, const Scalar*, Strides, Scalar*,
                           Strides) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
