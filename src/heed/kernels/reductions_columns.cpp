// SPDX-License-Identifier: Apache-2.0
// Reductions over the rows of a matrix, one result per column, and running sums along rows.
#include <algorithm>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/reductions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/reductions_columns.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/lanes-inl.h"

#ifndef HEED_KERNELS_REDUCTIONS_COLUMNS_CPP_
#define HEED_KERNELS_REDUCTIONS_COLUMNS_CPP_
namespace heed::kernels {
namespace {

// Columns handled together: their sums stay in L1 while the rows stream by.
constexpr std::size_t kStrip = 512;
// Rows that are summed before they are added to the total, which keeps the error small. A multiple
// of the four rows that are taken at once.
constexpr std::size_t kRowBlock = 256;

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// y[columns] += the sum of the rows, which are `stride` apart.
template <typename T>
HWY_INLINE void AddStrip(const T* x, std::size_t rows, std::size_t columns, std::size_t stride,
                         T* y) {
  const hn::ScalableTag<T> d;
  HWY_ALIGN WholeVectors<T, kStrip> block;
  for (std::size_t first = 0; first < rows; first += kRowBlock) {
    const std::size_t last = std::min(first + kRowBlock, rows);
    std::fill_n(block, columns, T{0});
    std::size_t r = first;
    for (; r + 4 <= last; r += 4) {
      const T* row = x + r * stride;
      Sweep(d, 0, columns, [&](std::size_t i, auto lanes) HWY_ATTR {
        const auto rows01 = hn::Add(lanes.load(d, row + i), lanes.load(d, row + stride + i));
        const auto rows23 =
            hn::Add(lanes.load(d, row + 2 * stride + i), lanes.load(d, row + 3 * stride + i));
        lanes.store(hn::Add(lanes.load(d, block + i), hn::Add(rows01, rows23)), d, block + i);
      });
    }
    for (; r < last; ++r) {
      Sweep(d, 0, columns, [&](std::size_t i, auto lanes) HWY_ATTR {
        const auto total = hn::Add(lanes.load(d, block + i), lanes.load(d, x + r * stride + i));
        lanes.store(total, d, block + i);
      });
    }
    Sweep(d, 0, columns, [&](std::size_t i, auto lanes) HWY_ATTR {
      lanes.store(hn::Add(lanes.load(d, y + i), lanes.load(d, block + i)), d, y + i);
    });
  }
}

// y[columns] = the largest of the rows, row_of[columns] the row it is in. A NaN beats every number,
// the first one stays.
template <typename T>
HWY_INLINE void MaximumStrip(const T* x, std::size_t rows, std::size_t columns, std::size_t stride,
                             T* y, hwy::MakeSigned<T>* row_of) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  std::copy_n(x, columns, y);
  std::fill_n(row_of, columns, hwy::MakeSigned<T>{0});
  for (std::size_t r = 1; r < rows; ++r) {
    const auto here = hn::Set(di, static_cast<hwy::MakeSigned<T>>(r));
    Sweep(d, 0, columns, [&](std::size_t i, auto lanes) HWY_ATTR {
      const auto best = lanes.load(d, y + i);
      const auto v = lanes.load(d, x + r * stride + i);
      const auto larger = hn::AndNot(hn::Le(v, best), hn::Eq(best, best));
      const auto row = hn::IfThenElse(hn::RebindMask(di, larger), here, lanes.load(di, row_of + i));
      lanes.store(hn::IfThenElse(larger, v, best), d, y + i);
      lanes.store(row, di, row_of + i);
    });
  }
}

void AddStripEntry(const Scalar* x, std::size_t rows, std::size_t columns, std::size_t stride,
                   Scalar* y) {
  AddStrip(x, rows, columns, stride, y);
}
void MaximumStripEntry(const Scalar* x, std::size_t rows, std::size_t columns, std::size_t stride,
                       Scalar* y, hwy::MakeSigned<Scalar>* row_of) {
  MaximumStrip(x, rows, columns, stride, y, row_of);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(AddStripEntry);
HWY_EXPORT(MaximumStripEntry);

namespace {

// Calls body(column, count) for strips of at most kStrip columns, spread over threads; the strips
// do not depend on each other.
template <typename Body>
void for_strips(std::size_t rows, std::size_t columns, const Body& body) noexcept {
  const std::size_t grain =
      std::max<std::size_t>(kElementwiseGrain / std::max<std::size_t>(rows, 1), 16);
  parallel_for(columns, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t column = begin; column < end; column += kStrip) {
      body(column, std::min(kStrip, end - column));
    }
  });
}

}  // namespace

template <typename T>
void add_columns(const T* x, std::size_t rows, std::size_t columns, T* y) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(AddStripEntry);
  for_strips(rows, columns, [=](std::size_t column, std::size_t count) {
    run(x + column, rows, count, columns, y + column);
  });
}

template <typename T>
void sum_columns(const T* x, std::size_t rows, std::size_t columns, T* y) noexcept {
  std::fill_n(y, columns, T{0});
  add_columns(x, rows, columns, y);
}

template <typename T>
void maximum_columns(const T* x, std::size_t rows, std::size_t columns, T* y,
                     std::int32_t* index) noexcept {
  if (rows == 0) {
    std::fill_n(y, columns, static_cast<T>(-INFINITY));
    if (index != nullptr) std::fill_n(index, columns, 0);
    return;
  }
  const auto run = HWY_DYNAMIC_DISPATCH(MaximumStripEntry);
  for_strips(rows, columns, [=](std::size_t column, std::size_t count) {
    hwy::MakeSigned<T> row_of[kStrip];
    run(x + column, rows, count, columns, y + column, row_of);
    if (index == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) {
      index[column + i] = static_cast<std::int32_t>(row_of[i]);
    }
  });
}

template <typename T>
void cumulative_sum(const T* x, std::size_t rows, std::size_t columns, T* y,
                    Direction direction) noexcept {
  const std::size_t grain = kElementwiseGrain / std::max<std::size_t>(columns, 1) + 1;
  parallel_for(rows, grain, [=](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      T total = 0;
      for (std::size_t i = 0; i < columns; ++i) {
        const std::size_t at =
            r * columns + (direction == Direction::forward ? i : columns - 1 - i);
        total += x[at];
        y[at] = total;
      }
    }
  });
}

template void sum_columns(const Scalar*, std::size_t, std::size_t, Scalar*) noexcept;
template void add_columns(const Scalar*, std::size_t, std::size_t, Scalar*) noexcept;
template void maximum_columns(const Scalar*, std::size_t, std::size_t, Scalar*,
                              std::int32_t*) noexcept;
template void cumulative_sum(const Scalar*, std::size_t, std::size_t, Scalar*, Direction) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
