// SPDX-License-Identifier: Apache-2.0
// Four rows of floats at a time: 4 x 4 transposes inside the 128-bit blocks of vectors, and the
// sums of four vectors. Include after heed/kernels/highway.h; not for the scalar target.
#if defined(HEED_KERNELS_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_BLOCKS_INL_H_
#undef HEED_KERNELS_BLOCKS_INL_H_
#else
#define HEED_KERNELS_BLOCKS_INL_H_
#endif

#include <cstddef>

#include "heed/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// Four floats of rows 0, 4, 8, ... one after the other; the rows are `stride` apart.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const float* from, std::size_t stride) {
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  if constexpr (kLanes == 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const float* upper = from + kLanes / 2 * stride;
    return hn::Combine(d, LoadBlocks(half, upper, stride), LoadBlocks(half, from, stride));
  }
}
template <class D>
HWY_INLINE void StoreBlocks(hn::Vec<D> v, D d, float* to, std::size_t stride) {
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  if constexpr (kLanes == 4) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Half<D> half;
    StoreBlocks(hn::LowerHalf(half, v), half, to, stride);
    StoreBlocks(hn::UpperHalf(half, v), half, to + kLanes / 2 * stride, stride);
  }
}

// Transposes the 4 x 4 floats in each 128-bit block: rows of blocks become columns over all lanes,
// and back.
template <class D, class V>
HWY_INLINE void TransposeBlocks(D d, V (&v)[4]) {
  const hn::Repartition<double, D> dd;
  const auto low01 = hn::BitCast(dd, hn::InterleaveLower(d, v[0], v[1]));
  const auto low23 = hn::BitCast(dd, hn::InterleaveLower(d, v[2], v[3]));
  const auto high01 = hn::BitCast(dd, hn::InterleaveUpper(d, v[0], v[1]));
  const auto high23 = hn::BitCast(dd, hn::InterleaveUpper(d, v[2], v[3]));
  v[0] = hn::BitCast(d, hn::InterleaveLower(dd, low01, low23));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(dd, low01, low23));
  v[2] = hn::BitCast(d, hn::InterleaveLower(dd, high01, high23));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(dd, high01, high23));
}

// The sum of a vector's 128-bit blocks.
template <class D>
HWY_INLINE hn::Vec<hn::Full128<float>> SumOfBlocks(D, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return v;
  } else {
    const hn::Half<D> half;
    return SumOfBlocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// The sums of four vectors, side by side: a third of the instructions of four SumOfLanes.
template <class D, class V>
HWY_INLINE hn::Vec<hn::Full128<float>> SumsOfFour(D d, V (&v)[4]) {
  TransposeBlocks(d, v);
  return SumOfBlocks(d, hn::Add(hn::Add(v[0], v[1]), hn::Add(v[2], v[3])));
}

#endif

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_BLOCKS_INL_H_
