// SPDX-License-Identifier: Apache-2.0
// Short rows side by side: one row in each lane, so that no sum crosses lanes. A row's bits do not
// depend on its neighbours. Included once per CPU target.
#if defined(HEED_KERNELS_SPARSE_ROWS_SHORT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SPARSE_ROWS_SHORT_INL_H_
#undef HEED_KERNELS_SPARSE_ROWS_SHORT_INL_H_
#else
#define HEED_KERNELS_SPARSE_ROWS_SHORT_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "heed/kernels/attention/sparse_rows-inl.h"
#include "heed/kernels/blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

constexpr int kMostSteps = 100;
// As near to 1 as a sum of float or double weights can be told to be.
template <typename T>
constexpr T kNearOne = 4 * std::numeric_limits<T>::epsilon();

#if HWY_TARGET != HWY_SCALAR

// As many rows as lanes, n columns, 4 <= n <= kMostColumns.
template <class Map>
HWY_INLINE void ShortGroup(const Map& map, const float* x, float* y, std::size_t n) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = HWY_LANES(float);
  HWY_ALIGN WholeVectors<float, kMostColumns * kLanes> columns;
  const V lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  V top = lowest;
  // The last four columns overlap those before them.
  for (std::size_t next = 0; next < n; next += 4) {
    const std::size_t c = std::min(next, n - 4);
    V v[4];
    for (std::size_t i = 0; i < 4; ++i) v[i] = LoadBlocks(d, x + i * n + c, n);
    TransposeBlocks(d, v);
    for (std::size_t i = 0; i < 4; ++i) {
      top = hn::Max(v[i], top);
      hn::Store(v[i], d, columns + (c + i) * kLanes);
    }
  }
  top = hn::IfThenZeroElse(hn::Eq(top, lowest), top);  // -inf only: -inf less 0 has no weight

  const V factor = hn::Set(d, map.scale());
  for (std::size_t c = 0; c < n; ++c) {
    const V z = hn::Mul(hn::Sub(hn::Load(d, columns + c * kLanes), top), factor);
    hn::Store(z, d, columns + c * kLanes);
  }

  const V limit = hn::Set(d, 1 + kNearOne<float>);
  V t = hn::Set(d, map.first()), total = limit;
  for (int step = 0; step < kMostSteps; ++step) {
    const V zero = hn::Zero(d);
    Sums<V> sums0{zero, zero, zero}, sums1 = sums0;
    std::size_t c = 0;
    for (; c + 2 <= n; c += 2) {
      map.Add(d, hn::Load(d, columns + c * kLanes), t, sums0);
      map.Add(d, hn::Load(d, columns + (c + 1) * kLanes), t, sums1);
    }
    if (c < n) map.Add(d, hn::Load(d, columns + c * kLanes), t, sums0);
    sums0.weights = hn::Add(sums0.weights, sums1.weights);
    sums0.slopes = hn::Add(sums0.slopes, sums1.slopes);
    total = sums0.weights;
    const V next = hn::Add(t, map.NewtonStep(d, sums0));
    // A row that has arrived stays where it is.
    const auto rising = hn::And(hn::Gt(total, limit), hn::Gt(next, t));
    if (hn::AllFalse(d, rising)) break;
    t = hn::IfThenElse(rising, next, t);
  }

  const auto none = hn::Eq(total, hn::Zero(d));
  const V share = hn::IfThenZeroElse(none, hn::Div(hn::Set(d, 1.0f), total));
  for (std::size_t next = 0; next < n; next += 4) {
    const std::size_t c = std::min(next, n - 4);
    V v[4];
    for (std::size_t i = 0; i < 4; ++i) {
      v[i] = hn::Mul(map.Weight(d, hn::Load(d, columns + (c + i) * kLanes), t), share);
    }
    TransposeBlocks(d, v);
    for (std::size_t i = 0; i < 4; ++i) StoreBlocks(v[i], d, y + i * n + c, n);
  }
}

template <class Map>
HWY_INLINE void ShortRows(const Map& map, const float* x, float* y, std::size_t rows,
                          std::size_t n) {
  constexpr std::size_t kLanes = HWY_LANES(float);
  std::size_t r = 0;
  for (; r + kLanes <= rows; r += kLanes) ShortGroup(map, x + r * n, y + r * n, n);
  if (r == rows) return;
  // The rest, with rows of zeros beside it.
  HWY_ALIGN WholeVectors<float, kMostColumns* kLanes> last_x = {};
  HWY_ALIGN WholeVectors<float, kMostColumns * kLanes> last_y;
  std::copy_n(x + r * n, (rows - r) * n, last_x);
  ShortGroup(map, last_x, last_y, n);
  std::copy_n(last_y, (rows - r) * n, y + r * n);
}
#endif

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_SPARSE_ROWS_SHORT_INL_H_
