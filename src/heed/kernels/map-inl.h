// SPDX-License-Identifier: Apache-2.0
// The loop of all elementwise maps: y[i] = map(x0[i], x1[i], ...). Included once per CPU target.
#if defined(HEED_KERNELS_MAP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_MAP_INL_H_
#undef HEED_KERNELS_MAP_INL_H_
#else
#define HEED_KERNELS_MAP_INL_H_
#endif

#include <cstddef>

#include "heed/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// The last vector overlaps the one before it, which is quicker than a masked tail. It is computed
// before anything is written, so that y may be one of the inputs.
template <class Map, typename T, class... Inputs>
HWY_INLINE void MapArrays(const Map& map, std::size_t n, T* y, const Inputs*... x) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  if (n < kLanes) {
    const Tail tail{n};
    if (n > 0) tail.store(map(d, tail.load(d, x)...), d, y);
    return;
  }
  const std::size_t end = n - kLanes;
  const auto last = map(d, hn::LoadU(d, x + end)...);
  for (std::size_t i = 0; i < end; i += kLanes) {
    hn::StoreU(map(d, hn::LoadU(d, x + i)...), d, y + i);
  }
  hn::StoreU(last, d, y + end);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_MAP_INL_H_
