// SPDX-License-Identifier: Apache-2.0
// Products over listed rows of a matrix: their weighted sum, their dot products with a vector, and
// the addition of a vector to each; included once per CPU target. Rows are whole vectors wide.
#if defined(HEED_KERNELS_GATHERED_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_GATHERED_ROWS_INL_H_
#undef HEED_KERNELS_GATHERED_ROWS_INL_H_
#else
#define HEED_KERNELS_GATHERED_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heed/kernels/attention/sparse_attention_band.h"
#include "heed/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Keys of listed rows, ascending or not, each at most once.
struct RowList {
  const std::int32_t* keys;
  std::size_t count;
};

// Calls body(column, integral_constant n) over `width` columns, n <= 8 vectors at a time: with a
// vector of this many in registers and a few sums the 16 of AVX2 are full.
template <typename T, class Body>
HWY_INLINE void OverVectors(std::size_t width, const Body& body) {
  constexpr std::size_t kL = HWY_LANES(T);
  for (std::size_t column = 0; column < width; column += 8 * kL) {
    switch (std::min<std::size_t>(8, (width - column) / kL)) {
      case 1:
        body(column, std::integral_constant<std::size_t, 1>());
        break;
      case 2:
        body(column, std::integral_constant<std::size_t, 2>());
        break;
      case 3:
        body(column, std::integral_constant<std::size_t, 3>());
        break;
      case 4:
        body(column, std::integral_constant<std::size_t, 4>());
        break;
      case 5:
        body(column, std::integral_constant<std::size_t, 5>());
        break;
      case 6:
        body(column, std::integral_constant<std::size_t, 6>());
        break;
      case 7:
        body(column, std::integral_constant<std::size_t, 7>());
        break;
      default:
        body(column, std::integral_constant<std::size_t, 8>());
    }
  }
}

template <std::size_t kV, typename T>
HWY_NOINLINE void SumVectors(const RowList& list, const T* weights, const T* rows,
                             std::size_t stride, T* sum) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kL = HWY_LANES(T);
  hn::Vec<decltype(d)> sums[kV];
  for (auto& s : sums) s = hn::Zero(d);
  for (std::size_t i = 0; i < list.count; ++i) {
    const T* HWY_RESTRICT row = rows + static_cast<std::size_t>(list.keys[i]) * stride;
    const auto weight = hn::Set(d, weights[i]);
    for (std::size_t v = 0; v < kV; ++v) {
      sums[v] = hn::MulAdd(weight, hn::LoadU(d, row + v * kL), sums[v]);
    }
  }
  for (std::size_t v = 0; v < kV; ++v) hn::StoreU(sums[v], d, sum + v * kL);
}

// sum [width] = sum_i weights[i] row(keys[i])
template <typename T>
HWY_INLINE void SumOfRows(const RowList& list, const T* weights, const MatrixRows<const T>& rows,
                          std::size_t width, T* sum) {
  OverVectors<T>(width, [&](std::size_t column, auto vectors) {
    SumVectors<vectors()>(list, weights, rows.data + column, rows.stride, sum + column);
  });
}

template <std::size_t kV, typename T>
HWY_NOINLINE void DotVectors(const RowList& list, const T* x, const T* rows, std::size_t stride,
                             bool add, T* dots) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kL = HWY_LANES(T);
  V vector[kV];
  for (std::size_t v = 0; v < kV; ++v) vector[v] = hn::LoadU(d, x + v * kL);
  const auto dot = [&](std::size_t i) HWY_ATTR {
    const T* HWY_RESTRICT row = rows + static_cast<std::size_t>(list.keys[i]) * stride;
    V even = hn::Mul(vector[0], hn::LoadU(d, row));
    V odd = hn::Zero(d);
    for (std::size_t v = 1; v < kV; ++v) {
      V& sum = v % 2 == 0 ? even : odd;
      sum = hn::MulAdd(vector[v], hn::LoadU(d, row + v * kL), sum);
    }
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  };
  for (std::size_t i = 0; i < list.count; ++i) dots[i] = add ? dots[i] + dot(i) : dot(i);
}

// dots[i] = x . row(keys[i])
template <typename T>
HWY_INLINE void DotsWithRows(const RowList& list, const T* x, const MatrixRows<const T>& rows,
                             std::size_t width, T* dots) {
  OverVectors<T>(width, [&](std::size_t column, auto vectors) {
    DotVectors<vectors()>(list, x + column, rows.data + column, rows.stride, column > 0, dots);
  });
}

template <std::size_t kV, typename T>
HWY_NOINLINE void AddVectors(const RowList& list, const T* weights, const T* x, T* rows,
                             std::size_t stride) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kL = HWY_LANES(T);
  hn::Vec<decltype(d)> vector[kV];
  for (std::size_t v = 0; v < kV; ++v) vector[v] = hn::LoadU(d, x + v * kL);
  for (std::size_t i = 0; i < list.count; ++i) {
    T* HWY_RESTRICT row = rows + static_cast<std::size_t>(list.keys[i]) * stride;
    const auto weight = hn::Set(d, weights[i]);
    for (std::size_t v = 0; v < kV; ++v) {
      hn::StoreU(hn::MulAdd(weight, vector[v], hn::LoadU(d, row + v * kL)), d, row + v * kL);
    }
  }
}

// row(keys[i]) += weights[i] x
template <typename T>
HWY_INLINE void AddToRows(const RowList& list, const T* weights, const T* x,
                          const MatrixRows<T>& rows, std::size_t width) {
  OverVectors<T>(width, [&](std::size_t column, auto vectors) {
    AddVectors<vectors()>(list, weights, x + column, rows.data + column, rows.stride);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_GATHERED_ROWS_INL_H_
