// SPDX-License-Identifier: Apache-2.0
// Sweeps over an array in SIMD lanes that never touch memory beyond its end: the body is written
// once and runs on whole vectors and on the tail. Include after heed/kernels/highway.h.
#if defined(HEED_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_LANES_INL_H_
#undef HEED_KERNELS_LANES_INL_H_
#else
#define HEED_KERNELS_LANES_INL_H_
#endif

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Room for kCount items and for whatever fills up their last vector. Arrays that are loaded or
// stored by whole vectors are of this type: on no target are they too short.
template <typename T, std::size_t kCount>
using WholeVectors = T[(kCount + HWY_LANES(T) - 1) / HWY_LANES(T) * HWY_LANES(T)];

// How a body reads and writes when all lanes are inside the array.
struct WholeVector {
  template <class D>
  HWY_INLINE hn::Vec<D> load(D d, const hn::TFromD<D>* from) const {
    return hn::LoadU(d, from);
  }
  template <class D>
  HWY_INLINE void store(hn::Vec<D> v, D d, hn::TFromD<D>* to) const {
    hn::StoreU(v, d, to);
  }
  // v in the lanes that are inside the array, 0 in the others.
  template <class D>
  HWY_INLINE hn::Vec<D> inside(D, hn::Vec<D> v) const {
    return v;
  }
};

// The same at the end of an array, where only the first `count` lanes are inside; the others load
// as 0.
struct Tail {
  std::size_t count;

  template <class D>
  HWY_INLINE hn::Vec<D> load(D d, const hn::TFromD<D>* from) const {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
    // MaskedLoad reads the whole vector on these targets.
    HWY_ALIGN WholeVectors<hn::TFromD<D>, 1> buffer = {};
    for (std::size_t i = 0; i < count; ++i) buffer[i] = from[i];
    return hn::Load(d, buffer);
#endif
  }
  template <class D>
  HWY_INLINE void store(hn::Vec<D> v, D d, hn::TFromD<D>* to) const {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
    HWY_ALIGN WholeVectors<hn::TFromD<D>, 1> buffer;
    hn::Store(v, d, buffer);
    for (std::size_t i = 0; i < count; ++i) to[i] = buffer[i];
#endif
  }
  template <class D>
  HWY_INLINE hn::Vec<D> inside(D d, hn::Vec<D> v) const {
    return hn::IfThenElseZero(hn::FirstN(d, count), v);
  }
};

// Calls body(i, lanes) for i = begin, begin + N, ... below end.
template <class D, class Body>
HWY_INLINE void Sweep(D d, std::size_t begin, std::size_t end, const Body& body) {
  const std::size_t step = hn::Lanes(d);
  std::size_t i = begin;
  for (; i + step <= end; i += step) body(i, WholeVector{});
  if (i < end) body(i, Tail{end - i});
}

// The sum that body(i, lanes, sum) adds to over [0, n), in an order that depends on n alone. Four
// sums side by side hide the latency of the additions.
template <class D, class Body>
HWY_INLINE hn::TFromD<D> SumOver(D d, std::size_t n, const Body& body) {
  const std::size_t step = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  std::size_t i = 0;
  for (; i + 4 * step <= n; i += 4 * step) {
    body(i, WholeVector{}, sum0);
    body(i + step, WholeVector{}, sum1);
    body(i + 2 * step, WholeVector{}, sum2);
    body(i + 3 * step, WholeVector{}, sum3);
  }
  for (; i + step <= n; i += step) body(i, WholeVector{}, sum0);
  if (i < n) body(i, Tail{n - i}, sum1);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_LANES_INL_H_
