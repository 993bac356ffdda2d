// SPDX-License-Identifier: Apache-2.0
// Gradients of sparsemax and entmax along rows, with run-time dispatch.
//
// Both are dx = u (dy - <u, dy> / sum u) with a weight u of each key of the support: 1 for
// sparsemax, sqrt(y) for alpha 1.5, y for softmax, y^(2 - alpha) in general.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "heed/base/threads.h"
#include "heed/kernels/attention/sparse_rows.h"
#include "heed/kernels/dispatch.h"

#ifndef HEED_KERNELS_SPARSE_ROWS_BACKWARD_CPP_
#define HEED_KERNELS_SPARSE_ROWS_BACKWARD_CPP_
namespace heed::kernels {
namespace {

// Rows up to this length go four at a time.
constexpr std::size_t kMostShort = 64;

}  // namespace
}  // namespace heed::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/sparse_rows_backward.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/blocks-inl.h"
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

struct SupportShare {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y) const {
    return hn::IfThenElseZero(hn::Ne(y, hn::Zero(d)), hn::Set(d, hn::TFromD<D>{1}));
  }
};
struct RootShare {
  template <class D, class V>
  HWY_INLINE V operator()(D, V y) const {
    return hn::Sqrt(y);
  }
};
template <typename T>
struct PowerShare {
  T exponent;  // 2 - alpha
  // A negative exponent makes small weights large; kept finite, so that no inf - inf comes of it.
  static constexpr T kMost = sizeof(T) == 4 ? T(40) : T(300);
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y) const {
    const auto some = hn::Gt(y, hn::Zero(d));
    const V logarithm = Log(d, hn::IfThenElse(some, y, hn::Set(d, T{1})));
    const V power = AtMost(hn::Set(d, kMost), hn::Mul(hn::Set(d, exponent), logarithm));
    return hn::IfThenElseZero(some, Exp(d, power));
  }
};

// Adds a vector to the two sums and returns its u. Outside the support dy takes no part, whatever
// is in it.
template <class Share, class D, class V>
HWY_INLINE V AddShares(const Share& share, D d, V y, V dy, V& total, V& inner) {
  const V u = share(d, y);
  total = hn::Add(total, u);
  inner = hn::MulAdd(u, hn::IfThenElseZero(hn::Ne(y, hn::Zero(d)), dy), inner);
  return u;
}
template <class D, class V>
HWY_INLINE V GradientOf(D d, V u, V dy, V mean) {
  return hn::IfThenElseZero(hn::Ne(u, hn::Zero(d)), hn::Mul(u, hn::Sub(dy, mean)));
}

// u is computed twice rather than kept: for the two cheap ones that is quicker, and no memory is
// needed. Most blocks of a long sparse row hold no weight; their dy is not even read: a third of
// the traffic saved at 32,000 columns.
template <class Share, typename T>
HWY_INLINE void BackwardRow(const Share& share, const T* y, const T* dy, T* dx, std::size_t n) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = HWY_LANES(T);
  const V zero = hn::Zero(d);
  const auto is_empty = [&](const T* block) HWY_ATTR {
    const V any01 = hn::Or(hn::LoadU(d, block), hn::LoadU(d, block + kLanes));
    const V any23 = hn::Or(hn::LoadU(d, block + 2 * kLanes), hn::LoadU(d, block + 3 * kLanes));
    return hn::AllTrue(d, hn::Eq(hn::Or(any01, any23), zero));
  };
  V total0 = zero, total1 = zero, inner0 = zero, inner1 = zero;
  std::size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    if (is_empty(y + i)) continue;
    for (std::size_t k = i; k < i + 4 * kLanes; k += 2 * kLanes) {
      const std::size_t l = k + kLanes;
      AddShares(share, d, hn::LoadU(d, y + k), hn::LoadU(d, dy + k), total0, inner0);
      AddShares(share, d, hn::LoadU(d, y + l), hn::LoadU(d, dy + l), total1, inner1);
    }
  }
  Sweep(d, i, n, [&](std::size_t at, auto lanes) HWY_ATTR {
    AddShares(share, d, lanes.load(d, y + at), lanes.load(d, dy + at), total0, inner0);
  });
  const T sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(total0, total1)));
  const T product = hn::GetLane(hn::SumOfLanes(d, hn::Add(inner0, inner1)));
  const V mean = hn::Set(d, sum == 0 ? T{0} : product / sum);
  for (i = 0; i + 4 * kLanes <= n; i += 4 * kLanes) {
    if (is_empty(y + i)) {
      for (std::size_t k = i; k < i + 4 * kLanes; k += kLanes) hn::StoreU(zero, d, dx + k);
      continue;
    }
    for (std::size_t k = i; k < i + 4 * kLanes; k += kLanes) {
      const V u = share(d, hn::LoadU(d, y + k));
      hn::StoreU(GradientOf(d, u, hn::LoadU(d, dy + k), mean), d, dx + k);
    }
  }
  Sweep(d, i, n, [&](std::size_t at, auto lanes) HWY_ATTR {
    const V u = share(d, lanes.load(d, y + at));
    lanes.store(GradientOf(d, u, lanes.load(d, dy + at), mean), d, dx + at);
  });
}

#if HWY_TARGET != HWY_SCALAR
// Four short rows, of which the first `count` are written: their sums cross the lanes together, and
// u is kept. kLanes <= n <= kMostShort.
template <class Share>
HWY_INLINE void BackwardFourRows(const Share& share, const float* y, const float* dy, float* dx,
                                 std::size_t n, std::size_t count) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = HWY_LANES(float);
  constexpr std::size_t kRow = kMostShort + kLanes;
  static_assert(kRow % kLanes == 0);
  HWY_ALIGN WholeVectors<float, 4 * kRow> shares;
  // The last vector overlaps the one before it; lanes that both hold count once.
  const std::size_t end = n - kLanes;
  const auto twice = hn::FirstN(d, (n + kLanes - 1) / kLanes * kLanes - n);
  V total[4], inner[4];
  const auto add_row = [&](std::size_t r, std::size_t row) HWY_ATTR {
    V sum = hn::Zero(d), product = sum;
    const float* const weights = y + row * n;
    const float* const upstream = dy + row * n;
    float* const kept = shares + r * kRow;
    std::size_t i = 0;
    for (; i < end; i += kLanes) {
      const V u =
          AddShares(share, d, hn::LoadU(d, weights + i), hn::LoadU(d, upstream + i), sum, product);
      hn::Store(u, d, kept + i);
    }
    const V last = share(d, hn::LoadU(d, weights + end));
    hn::Store(last, d, kept + i);
    const V once = hn::IfThenZeroElse(twice, last);
    total[r] = hn::Add(sum, once);
    inner[r] = hn::MulAdd(
        once, hn::IfThenElseZero(hn::Ne(once, hn::Zero(d)), hn::LoadU(d, upstream + end)), product);
  };
  add_row(0, 0);
  add_row(1, std::min<std::size_t>(1, count - 1));
  add_row(2, std::min<std::size_t>(2, count - 1));
  add_row(3, count - 1);
  const hn::Full128<float> four;
  const auto sums = SumsOfFour(d, total);
  const auto products = SumsOfFour(d, inner);
  alignas(16) std::array<float, 4> means;
  hn::Store(hn::IfThenZeroElse(hn::Eq(sums, hn::Zero(four)), hn::Div(products, sums)), four,
            means.data());
  for (std::size_t r = 0; r < count; ++r) {
    const float* const upstream = dy + r * n;
    const float* const kept = shares + r * kRow;
    const V mean = hn::Set(d, means[r]);
    // Read before anything is written, because dx may be dy.
    const V last = hn::LoadU(d, upstream + end);
    std::size_t i = 0;
    for (; i < end; i += kLanes) {
      const V gradient = GradientOf(d, hn::Load(d, kept + i), hn::LoadU(d, upstream + i), mean);
      hn::StoreU(gradient, d, dx + r * n + i);
    }
    hn::StoreU(GradientOf(d, hn::Load(d, kept + i), last, mean), d, dx + r * n + end);
  }
}
#endif

template <class Share, typename T>
HWY_INLINE void BackwardRows(const Share& share, const T* y, const T* dy, T* dx, std::size_t rows,
                             std::size_t n) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, float>) {
    // By the length alone, so that the division among threads does not change a bit.
    if (n >= HWY_LANES(float) && n <= kMostShort) {
      for (std::size_t r = 0; r < rows; r += 4) {
        const std::size_t at = r * n;
        BackwardFourRows(share, y + at, dy + at, dx + at, n, std::min<std::size_t>(4, rows - r));
      }
      return;
    }
  }
#endif
  for (std::size_t at = 0; at < rows * n; at += n) BackwardRow(share, y + at, dy + at, dx + at, n);
}

template <typename T>
HWY_INLINE void RunBackward(double alpha, const T* y, const T* dy, T* dx, std::size_t rows,
                            std::size_t columns) {
  if (alpha == 2) {
    BackwardRows(SupportShare{}, y, dy, dx, rows, columns);
  } else if (alpha == 1.5) {
    BackwardRows(RootShare{}, y, dy, dx, rows, columns);
  } else {
    BackwardRows(PowerShare<T>{static_cast<T>(2 - alpha)}, y, dy, dx, rows, columns);
  }
}
void SparseBackwardEntry(double alpha, const Scalar* y, const Scalar* dy, Scalar* dx,
                         std::size_t rows, std::size_t columns) {
  RunBackward(alpha, y, dy, dx, rows, columns);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(SparseBackwardEntry);

namespace {

// (-expm1(-y) - y) / y^2, which tends to -1/2 at 0.
double phi(double y) {
  if (std::abs(y) > 0.01) return (-std::expm1(-y) - y) / (y * y);
  return -0.5 + y * (1.0 / 6 - y * (1.0 / 24 - y * (1.0 / 120 - y * (1.0 / 720 - y / 5040))));
}

}  // namespace

template <typename T>
void entmax_backward(double alpha, const T* y, const T* dy, T* dx, std::size_t rows,
                     std::size_t columns) noexcept {
  if (columns == 0) return;
  const auto run = HWY_DYNAMIC_DISPATCH(SparseBackwardEntry);
  const std::size_t grain = kElementwiseGrain / 4 / columns + 1;
  parallel_for(rows, grain, [=](std::size_t begin, std::size_t end) {
    const std::size_t at = begin * columns;
    run(alpha, y + at, dy + at, dx + at, end - begin, columns);
  });
}
template <typename T>
void sparsemax_backward(const T* y, const T* dy, T* dx, std::size_t rows,
                        std::size_t columns) noexcept {
  entmax_backward(2, y, dy, dx, rows, columns);
}

// sum dy dp/dalpha = sum dy p q - (sum p q) <u, dy> / sum u with u = p^(2-alpha), l = log p,
// q = l^2 phi((alpha-1) l). The published form cancels near 1: at alpha = 1 + 1e-7 it gave .1030
// where .1084 is right.
template <typename T>
double entmax_alpha_gradient(double alpha, const T* y, const T* dy, std::size_t n) noexcept {
  double gpq = 0, pq = 0, gu = 0, total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(y[i] > 0)) continue;
    const double l = std::log(static_cast<double>(y[i]));
    const double weighted = y[i] * l * l * phi((alpha - 1) * l);
    const double u = std::exp((2 - alpha) * l);
    gpq += dy[i] * weighted;
    pq += weighted;
    gu += dy[i] * u;
    total += u;
  }
  return total > 0 ? gpq - pq * gu / total : 0;
}

template void sparsemax_backward(const Scalar*, const Scalar*, Scalar*, std::size_t,
                                 std::size_t) noexcept;
template void entmax_backward(double, const Scalar*, const Scalar*, Scalar*, std::size_t,
                              std::size_t) noexcept;
template double entmax_alpha_gradient(double, const Scalar*, const Scalar*, std::size_t) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
