// SPDX-License-Identifier: Apache-2.0
// Binary operations with any strides, with run-time dispatch.
#include "heed/kernels/binary.h"

#include <algorithm>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/binary.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

template <Binary kOp>
struct BinaryMap {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    const V one = hn::Set(d, hn::TFromD<D>{1});
    if constexpr (kOp == Binary::add) return hn::Add(a, b);
    if constexpr (kOp == Binary::subtract) return hn::Sub(a, b);
    if constexpr (kOp == Binary::multiply) return hn::Mul(a, b);
    if constexpr (kOp == Binary::divide) return hn::Div(a, b);
    // AtLeast and AtMost give NaN where b is NaN; a NaN in a is kept here.
    if constexpr (kOp == Binary::maximum) return hn::IfThenElse(hn::Eq(a, a), AtLeast(a, b), a);
    if constexpr (kOp == Binary::minimum) return hn::IfThenElse(hn::Eq(a, a), AtMost(a, b), a);
    if constexpr (kOp == Binary::less) return hn::IfThenElseZero(hn::Lt(a, b), one);
    if constexpr (kOp == Binary::less_equal) return hn::IfThenElseZero(hn::Le(a, b), one);
    if constexpr (kOp == Binary::equal) return hn::IfThenElseZero(hn::Eq(a, b), one);
  }
};

// One side is the same number all along.
template <class Map, typename T>
struct FixedLeft {
  T a;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V b) const {
    return Map{}(d, hn::Set(d, a), b);
  }
};
template <class Map, typename T>
struct FixedRight {
  T b;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a) const {
    return Map{}(d, a, hn::Set(d, b));
  }
};

// Items of other strides are gathered in pieces of this many.
constexpr std::size_t kPiece = 256;

// x itself where its items are neighbours, else a copy of n of them in buffer.
template <typename T>
HWY_INLINE const T* Gathered(const T* x, std::ptrdiff_t stride, std::size_t n, T* buffer) {
  if (stride == 1) return x;
  for (std::size_t i = 0; i < n; ++i) buffer[i] = x[static_cast<std::ptrdiff_t>(i) * stride];
  return buffer;
}

// The plain case, apart from the others because it must cost nothing but the work: through
// BinaryRows 16 floats took 23 ns, here 8.
template <class Map, typename T>
HWY_NOINLINE void BinaryContiguous(const T* a, const T* b, T* y, std::size_t n) {
  MapArrays(Map{}, n, y, a, b);
}

template <class Map, typename T>
HWY_INLINE void BinaryRow(std::size_t n, const T* a, std::ptrdiff_t a_stride, const T* b,
                          std::ptrdiff_t b_stride, T* y) {
  if (a_stride == 1 && b_stride == 1) return BinaryContiguous<Map>(a, b, y, n);
  if (a_stride == 1 && b_stride == 0) return MapArrays(FixedRight<Map, T>{*b}, n, y, a);
  if (a_stride == 0 && b_stride == 1) return MapArrays(FixedLeft<Map, T>{*a}, n, y, b);
  WholeVectors<T, kPiece> a_buffer, b_buffer;
  for (std::size_t i = 0; i < n; i += kPiece) {
    const std::size_t count = std::min(kPiece, n - i);
    const auto offset = static_cast<std::ptrdiff_t>(i);
    MapArrays(Map{}, count, y + i, Gathered(a + offset * a_stride, a_stride, count, a_buffer),
              Gathered(b + offset * b_stride, b_stride, count, b_buffer));
  }
}

template <Binary kOp, typename T>
HWY_NOINLINE void BinaryRows(std::size_t rows, std::size_t columns, const T* a, Strides a_strides,
                             const T* b, Strides b_strides, T* y, std::ptrdiff_t y_row) {
  for (std::size_t r = 0; r < rows; ++r) {
    BinaryRow<BinaryMap<kOp>>(columns, a, a_strides.column, b, b_strides.column, y);
    a += a_strides.row;
    b += b_strides.row;
    y += y_row;
  }
}

template <typename T>
HWY_INLINE void RunBinary(Binary op, std::size_t rows, std::size_t columns, const T* a,
                          Strides a_strides, const T* b, Strides b_strides, T* y,
                          std::ptrdiff_t y_row) {
  switch (op) {
    case Binary::add:
      return BinaryRows<Binary::add>(rows, columns, a, a_strides, b, b_strides, y, y_row);
    case Binary::subtract:
      return BinaryRows<Binary::subtract>(rows, columns, a, a_strides, b, b_strides, y, y_row);
    case Binary::multiply:
      return BinaryRows<Binary::multiply>(rows, columns, a, a_strides, b, b_strides, y, y_row);
    case Binary::divide:
      return BinaryRows<Binary::divide>(rows, columns, a, a_strides, b, b_strides, y, y_row);
    case Binary::maximum:
      return BinaryRows<Binary::maximum>(rows, columns, a, a_strides, b, b_strides, y, y_row);
    case Binary::minimum:
      return BinaryRows<Binary::minimum>(rows, columns, a, a_strides, b, b_strides, y, y_row);
    case Binary::less:
      return BinaryRows<Binary::less>(rows, columns, a, a_strides, b, b_strides, y, y_row);
    case Binary::less_equal:
      return BinaryRows<Binary::less_equal>(rows, columns, a, a_strides, b, b_strides, y, y_row);
    case Binary::equal:
      return BinaryRows<Binary::equal>(rows, columns, a, a_strides, b, b_strides, y, y_row);
    case Binary::power:  // computed outside: std::pow has no vector form here
      return;
  }
}

void BinaryEntry(Binary op, std::size_t rows, std::size_t columns, const Scalar* a,
                 Strides a_strides, const Scalar* b, Strides b_strides, Scalar* y,
                 std::ptrdiff_t y_row) {
  RunBinary(op, rows, columns, a, a_strides, b, b_strides, y, y_row);
}

template <typename T>
HWY_INLINE void RunContiguous(Binary op, const T* a, const T* b, T* y, std::size_t n) {
  switch (op) {
    case Binary::add:
      return BinaryContiguous<BinaryMap<Binary::add>>(a, b, y, n);
    case Binary::subtract:
      return BinaryContiguous<BinaryMap<Binary::subtract>>(a, b, y, n);
    case Binary::multiply:
      return BinaryContiguous<BinaryMap<Binary::multiply>>(a, b, y, n);
    case Binary::divide:
      return BinaryContiguous<BinaryMap<Binary::divide>>(a, b, y, n);
    case Binary::maximum:
      return BinaryContiguous<BinaryMap<Binary::maximum>>(a, b, y, n);
    case Binary::minimum:
      return BinaryContiguous<BinaryMap<Binary::minimum>>(a, b, y, n);
    case Binary::less:
      return BinaryContiguous<BinaryMap<Binary::less>>(a, b, y, n);
    case Binary::less_equal:
      return BinaryContiguous<BinaryMap<Binary::less_equal>>(a, b, y, n);
    case Binary::equal:
      return BinaryContiguous<BinaryMap<Binary::equal>>(a, b, y, n);
    case Binary::power:
      return;
  }
}
void ContiguousEntry(Binary op, const Scalar* a, const Scalar* b, Scalar* y, std::size_t n) {
  RunContiguous(op, a, b, y, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(BinaryEntry);
HWY_EXPORT(ContiguousEntry);

namespace {

template <typename T>
void power_rows(Binary, std::size_t rows, std::size_t columns, const T* a, Strides a_strides,
                const T* b, Strides b_strides, T* y, std::ptrdiff_t y_row) noexcept {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const auto column = static_cast<std::ptrdiff_t>(c);
      y[c] = std::pow(a[column * a_strides.column], b[column * b_strides.column]);
    }
    a += a_strides.row;
    b += b_strides.row;
    y += y_row;
  }
}

// What is not one contiguous row on both sides.
template <typename T>
void binary_strided(Binary op, std::size_t rows, std::size_t columns, const T* a, Strides a_strides,
                    const T* b, Strides b_strides, T* y, std::ptrdiff_t y_row) noexcept {
  const auto run = op == Binary::power ? &power_rows<T> : HWY_DYNAMIC_DISPATCH(BinaryEntry);
  const std::size_t grain = op == Binary::power ? kElementwiseGrain / 16 : kElementwiseGrain;
  if (columns >= 2 * grain || rows == 1) {
    for (std::size_t r = 0; r < rows; ++r) {
      const auto row = static_cast<std::ptrdiff_t>(r);
      const T* a_begin = a + row * a_strides.row;
      const T* b_begin = b + row * b_strides.row;
      T* y_begin = y + row * y_row;
      parallel_for(columns, grain, [=](std::size_t begin, std::size_t end) {
        const auto column = static_cast<std::ptrdiff_t>(begin);
        run(op, 1, end - begin, a_begin + column * a_strides.column, a_strides,
            b_begin + column * b_strides.column, b_strides, y_begin + column, 0);
      });
    }
    return;
  }
  if (columns == 0) return;
  parallel_for(rows, (grain + columns - 1) / columns, [=](std::size_t begin, std::size_t end) {
    const auto row = static_cast<std::ptrdiff_t>(begin);
    run(op, end - begin, columns, a + row * a_strides.row, a_strides, b + row * b_strides.row,
        b_strides, y + row * y_row, y_row);
  });
}

}  // namespace

template <typename T>
void binary(Binary op, std::size_t rows, std::size_t columns, const T* a, Strides a_strides,
            const T* b, Strides b_strides, T* y, std::ptrdiff_t y_row) noexcept {
  if (rows != 1) {
    const auto width = static_cast<std::ptrdiff_t>(columns);
    if (columns == 1 && y_row == 1) {
      // A column of single items is a row.
      a_strides.column = a_strides.row;
      b_strides.column = b_strides.row;
      columns = rows;
      rows = 1;
    } else if (y_row == width && a_strides.row == a_strides.column * width &&
               b_strides.row == b_strides.column * width) {
      // Rows that follow each other without gaps are one row.
      columns *= rows;
      rows = 1;
    }
  }
  if (rows == 1 && a_strides.column == 1 && b_strides.column == 1 && op != Binary::power) {
    const auto run = HWY_DYNAMIC_DISPATCH(ContiguousEntry);
    return parallel_for(columns, kElementwiseGrain, [=](std::size_t begin, std::size_t end) {
      run(op, a + begin, b + begin, y + begin, end - begin);
    });
  }
  binary_strided(op, rows, columns, a, a_strides, b, b_strides, y, y_row);
}

template void binary(Binary, std::size_t, std::size_t, const Scalar*, Strides, const Scalar*,
                     Strides, Scalar*, std::ptrdiff_t) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
