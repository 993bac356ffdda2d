// SPDX-License-Identifier: Apache-2.0
// Long rows with few weights: the row's maximum with those of its lanes, and one pass that writes
// zeros and lists what may have a weight. Included once per CPU target.
#if defined(HEED_KERNELS_SPARSE_ROWS_LONG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SPARSE_ROWS_LONG_INL_H_
#undef HEED_KERNELS_SPARSE_ROWS_LONG_INL_H_
#else
#define HEED_KERNELS_SPARSE_ROWS_LONG_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "heed/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// The largest of n >= 8 kLanes items. lane_maxima gets the largest of each lane, n / (2 kLanes) or
// more items each, and *lanes their number.
template <typename T>
HWY_INLINE T MaximumOfLanes(const T* x, std::size_t n, T* lane_maxima, std::size_t* lanes) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  auto best0 = hn::LoadU(d, x), best1 = hn::LoadU(d, x + kLanes);
  auto best2 = hn::LoadU(d, x + 2 * kLanes), best3 = hn::LoadU(d, x + 3 * kLanes);
  auto best4 = hn::LoadU(d, x + 4 * kLanes), best5 = hn::LoadU(d, x + 5 * kLanes);
  auto best6 = hn::LoadU(d, x + 6 * kLanes), best7 = hn::LoadU(d, x + 7 * kLanes);
  std::size_t i = 8 * kLanes;
  for (; i + 8 * kLanes <= n; i += 8 * kLanes) {
    best0 = hn::Max(best0, hn::LoadU(d, x + i));
    best1 = hn::Max(best1, hn::LoadU(d, x + i + kLanes));
    best2 = hn::Max(best2, hn::LoadU(d, x + i + 2 * kLanes));
    best3 = hn::Max(best3, hn::LoadU(d, x + i + 3 * kLanes));
    best4 = hn::Max(best4, hn::LoadU(d, x + i + 4 * kLanes));
    best5 = hn::Max(best5, hn::LoadU(d, x + i + 5 * kLanes));
    best6 = hn::Max(best6, hn::LoadU(d, x + i + 6 * kLanes));
    best7 = hn::Max(best7, hn::LoadU(d, x + i + 7 * kLanes));
  }
  T largest = x[n - 1];
  for (; i < n; ++i) largest = std::max(largest, x[i]);
  const hn::Vec<decltype(d)> best[] = {best0, best1, best2, best3, best4, best5, best6, best7};
  auto top = best0;
  for (std::size_t b = 0; b < 8; ++b) {
    top = hn::Max(top, best[b]);
    hn::StoreU(best[b], d, lane_maxima + b * kLanes);
  }
  *lanes = 8 * kLanes;
  return std::max(largest, hn::GetLane(hn::MaxOfLanes(d, top)));
}

// Scores that may have a weight, and their places in the row.
template <typename T>
struct Candidates {
  static constexpr std::size_t kMost = 1024;
  WholeVectors<T, kMost> z;
  std::uint32_t places[kMost];
  std::size_t count = 0;
};

// Writes n zeros to y and lists z = (x - maximum) * scale where it is above `above`. False, with y
// half written, when there are too many of them, or a NaN.
template <typename T>
HWY_INLINE bool ListCandidates(const T* x, T* y, std::size_t n, T maximum, T scale, T above,
                               Candidates<T>& list) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = HWY_LANES(T);
  const V top = hn::Set(d, maximum), factor = hn::Set(d, scale), limit = hn::Set(d, above);
  const V zero = hn::Zero(d);
  const auto z_at = [&](std::size_t i)
                        HWY_ATTR { return hn::Mul(hn::Sub(hn::LoadU(d, x + i), top), factor); };
  std::size_t count = 0, i = 0;
  // Number by number and without a branch: Highway 1.0.3 copies a table of 1 KiB to the stack for
  // each CompressStore on AVX2, which took half of a row's time.
  const auto list_some = [&](std::size_t begin, std::size_t end) HWY_ATTR {
    bool ordered = true;
    for (std::size_t k = begin; k < end; ++k) {
      const T z = (x[k] - maximum) * scale;
      list.z[count] = z;
      list.places[count] = static_cast<std::uint32_t>(k);
      count += z > above;
      ordered &= z == z;
    }
    return ordered;
  };
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    const auto below01 = hn::And(hn::Le(z_at(i), limit), hn::Le(z_at(i + kLanes), limit));
    const auto below23 =
        hn::And(hn::Le(z_at(i + 2 * kLanes), limit), hn::Le(z_at(i + 3 * kLanes), limit));
    for (std::size_t k = 0; k < 4 * kLanes; k += kLanes) hn::StoreU(zero, d, y + i + k);
    if (HWY_LIKELY(hn::AllTrue(d, hn::And(below01, below23)))) continue;
    if (count + 4 * kLanes > Candidates<T>::kMost) return false;
    for (std::size_t k = i; k < i + 4 * kLanes; k += kLanes) {
      if (hn::AllTrue(d, hn::Le(z_at(k), limit))) continue;
      if (!list_some(k, k + kLanes)) return false;
    }
  }
  if (count + 4 * kLanes > Candidates<T>::kMost || !list_some(i, n)) return false;
  std::fill(y + i, y + n, T{0});
  list.count = count;
  return true;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_SPARSE_ROWS_LONG_INL_H_
