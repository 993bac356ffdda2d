// SPDX-License-Identifier: Apache-2.0
// The three maps of sparse rows (linear, square, power) as a threshold t turns scores z, relative
// to their maximum, into weights, and the sums a search for t needs. Included once per CPU target.
#if defined(HEED_KERNELS_SPARSE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SPARSE_ROWS_INL_H_
#undef HEED_KERNELS_SPARSE_ROWS_INL_H_
#else
#define HEED_KERNELS_SPARSE_ROWS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// Over the list at one threshold: the weights, minus their derivative by the threshold (up to a
// constant factor), and how many there are.
template <class V>
struct Sums {
  V weights, slopes, count;
};

// Below every score that matters and finite, so that 0 times it is 0.
template <typename T>
constexpr T kFarBelow = T(-1e30);

// Sparsemax: p = [z - t]+, t in [-1, 0).
template <typename T>
struct LinearMap {
  static constexpr bool kHasExactStep = false;
  T scale() const { return 1; }
  T first() const { return -1; }  // at most the threshold of any row
  T reach() const { return 0; }   // z <= t - reach has weight 0

  template <class D, class V>
  HWY_INLINE V Weight(D d, V z, V t) const {
    return AtLeast(hn::Zero(d), hn::Sub(z, t));
  }
  template <class D, class V>
  HWY_INLINE void Add(D d, V z, V t, Sums<V>& sums) const {
    sums.weights = hn::Add(sums.weights, hn::Max(hn::Sub(z, t), hn::Zero(d)));
    sums.slopes = hn::Add(sums.slopes, hn::IfThenElseZero(hn::Gt(z, t), hn::Set(d, T{1})));
  }
  T NewtonStep(const Sums<T>& sums) const { return (sums.weights - 1) / sums.slopes; }
  template <class D, class V>
  HWY_INLINE V NewtonStep(D d, const Sums<V>& sums) const {
    return hn::Div(hn::Sub(sums.weights, hn::Set(d, T{1})), sums.slopes);
  }
  T ExactStep(const Sums<T>& sums) const { return NewtonStep(sums); }
};

// Entmax at alpha = 1.5: p = [z - t]+^2 of halved scores, t in [-1, 0).
template <typename T>
struct SquareMap {
  static constexpr bool kHasExactStep = true;
  T scale() const { return T(0.5); }
  T first() const { return -1; }
  T reach() const { return 0; }

  template <class D, class V>
  HWY_INLINE V Weight(D d, V z, V t) const {
    const V root = AtLeast(hn::Zero(d), hn::Sub(z, t));
    return hn::Mul(root, root);
  }
  template <class D, class V>
  HWY_INLINE void Add(D d, V z, V t, Sums<V>& sums) const {
    const V root = hn::Max(hn::Sub(z, t), hn::Zero(d));
    sums.weights = hn::MulAdd(root, root, sums.weights);
    sums.slopes = hn::Add(sums.slopes, root);
    sums.count = hn::Add(sums.count, hn::IfThenElseZero(hn::Gt(z, t), hn::Set(d, T{1})));
  }
  // Newton on |[z - t]+| - 1, which is convex in t: from below it never overshoots.
  T NewtonStep(const Sums<T>& sums) const {
    const T norm = std::sqrt(sums.weights);
    return (norm - 1) * norm / sums.slopes;
  }
  template <class D, class V>
  HWY_INLINE V NewtonStep(D d, const Sums<V>& sums) const {
    const V norm = hn::Sqrt(sums.weights);
    return hn::Div(hn::Mul(hn::Sub(norm, hn::Set(d, T{1})), norm), sums.slopes);
  }
  // The root of sum (r - s)^2 = 1 over r = z - t > 0: exact while no r falls below s.
  T ExactStep(const Sums<T>& sums) const {
    const T excess = sums.weights - 1;
    const T root = sums.slopes * sums.slopes - sums.count * excess;
    return excess / (sums.slopes + std::sqrt(std::max(root, T{0})));
  }
};

// Entmax at any alpha = 1 + e: p = exp(log1p(e (z - t)) / e), t >= 0; e may be 0 or a little below.
template <typename T>
struct PowerMap {
  static constexpr bool kHasExactStep = false;
  T e;
  T scale() const { return 1; }
  T first() const { return 0; }
  T reach() const { return e > T(1e-20) ? 1 / e : -kFarBelow<T>; }

  // log1p(e u) / e as log(w) u / (w - 1), w = 1 + e u rounded: the rounding cancels, and e = 0
  // needs no case of its own.
  template <class D, class V>
  HWY_INLINE V Weight(D d, V z, V t, V& base) const {
    const V one = hn::Set(d, T{1});
    const V u = AtLeast(hn::Set(d, kFarBelow<T>), hn::Sub(z, t));
    base = hn::MulAdd(hn::Set(d, e), u, one);
    const V less = hn::Sub(base, one);
    const auto straight = hn::Eq(less, hn::Zero(d));
    const V ratio = hn::Div(hn::Mul(Log(d, base), u), hn::IfThenElse(straight, one, less));
    // Written so that a NaN stays one. Where the weight passes 1 (t below the maximum) it is cut.
    const auto outside = hn::Le(base, hn::Zero(d));
    return hn::IfThenZeroElse(
        outside, ExpNonPositive(d, AtMost(hn::Zero(d), hn::IfThenElse(straight, u, ratio))));
  }
  template <class D, class V>
  HWY_INLINE V Weight(D d, V z, V t) const {
    V base;
    return Weight(d, z, t, base);
  }
  // p^(2 - alpha) = p / p^e, and p^e is the base.
  template <class D, class V>
  HWY_INLINE void Add(D d, V z, V t, Sums<V>& sums) const {
    V base;
    const V p = Weight(d, z, t, base);
    const auto outside = hn::Le(base, hn::Zero(d));
    sums.weights = hn::Add(sums.weights, p);
    sums.slopes = hn::Add(sums.slopes, hn::IfThenZeroElse(outside, hn::Div(p, base)));
  }
  // Newton on (S^e - 1) / e, S = sum p: a norm of the bases, convex in t for alpha <= 2, so that
  // from below it never overshoots. At e = 0 this is log S, linear in t: one step.
  T NewtonStep(const Sums<T>& sums) const {
    const T log_sum = std::log(sums.weights);
    const T grown = e * log_sum;
    const T factor = grown == 0 ? log_sum : -std::expm1(-grown) / e;
    return sums.weights * factor / sums.slopes;
  }
  // The same, with expm1(x) as (w - 1) x / log(w), w = exp(x) rounded.
  template <class D, class V>
  HWY_INLINE V NewtonStep(D d, const Sums<V>& sums) const {
    const V one = hn::Set(d, T{1});
    const V log_sum = Log(d, sums.weights);
    const V w = Exp(d, hn::Mul(hn::Set(d, -e), log_sum));
    const auto straight = hn::Eq(w, one);
    const V log_w = Log(d, hn::IfThenElse(straight, hn::Set(d, T{2}), w));
    const V factor = hn::Div(hn::Mul(hn::Sub(w, one), log_sum), log_w);
    return hn::Div(hn::Mul(sums.weights, hn::IfThenElse(straight, log_sum, factor)), sums.slopes);
  }
  T ExactStep(const Sums<T>& sums) const { return NewtonStep(sums); }
};

// The sums over a list of n >= 0 scores.
template <class Map, typename T>
HWY_INLINE Sums<T> SumsAt(const Map& map, const T* list, std::size_t n, T threshold) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  const auto t = hn::Set(d, threshold);
  const auto zero = hn::Zero(d);
  Sums<hn::Vec<decltype(d)>> sums0{zero, zero, zero}, sums1 = sums0;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    map.Add(d, hn::LoadU(d, list + i), t, sums0);
    map.Add(d, hn::LoadU(d, list + i + kLanes), t, sums1);
  }
  if (i + kLanes <= n) {
    map.Add(d, hn::LoadU(d, list + i), t, sums0);
    i += kLanes;
  }
  if (i < n) {
    const auto z = Tail{n - i}.load(d, list + i);
    const auto far = hn::Set(d, kFarBelow<T>);
    map.Add(d, hn::IfThenElse(hn::FirstN(d, n - i), z, far), t, sums1);
  }
  Sums<T> total;
  total.weights = hn::GetLane(hn::SumOfLanes(d, hn::Add(sums0.weights, sums1.weights)));
  total.slopes = hn::GetLane(hn::SumOfLanes(d, hn::Add(sums0.slopes, sums1.slopes)));
  total.count = 0;
  if constexpr (Map::kHasExactStep) {
    total.count = hn::GetLane(hn::SumOfLanes(d, hn::Add(sums0.count, sums1.count)));
  }
  return total;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_SPARSE_ROWS_INL_H_
