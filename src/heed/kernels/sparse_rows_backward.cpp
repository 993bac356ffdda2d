// SPDX-License-Identifier: Apache-2.0
// Gradients of sparsemax and entmax along rows, with run-time dispatch.
//
// Both are dx = u (dy - <u, dy> / sum u) with a weight u of each key of the support: 1 for
// sparsemax, sqrt(y) for alpha 1.5, y for softmax, y^(2 - alpha) in general.
#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/sparse_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/sparse_rows_backward.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

struct SupportShare {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y) const {
    return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), hn::Set(d, hn::TFromD<D>{1}));
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

// u is computed twice rather than kept: for the two cheap ones that is quicker, and no memory is
// needed.
template <class Share, typename T>
HWY_INLINE void BackwardRow(const Share& share, const T* y, const T* dy, T* dx, std::size_t n) {
  const hn::ScalableTag<T> d;
  auto inner = hn::Zero(d), total = hn::Zero(d), inner1 = inner, total1 = total;
  constexpr std::size_t kLanes = HWY_LANES(T);
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const auto u = share(d, hn::LoadU(d, y + i));
    const auto u1 = share(d, hn::LoadU(d, y + i + kLanes));
    total = hn::Add(total, u);
    total1 = hn::Add(total1, u1);
    inner = hn::MulAdd(u, hn::LoadU(d, dy + i), inner);
    inner1 = hn::MulAdd(u1, hn::LoadU(d, dy + i + kLanes), inner1);
  }
  sweep(d, i, n, [&](std::size_t at, auto lanes) HWY_ATTR {
    const auto u = share(d, lanes.load(d, y + at));  // 0 outside the row
    total = hn::Add(total, u);
    inner = hn::MulAdd(u, lanes.load(d, dy + at), inner);
  });
  const T sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(total, total1)));
  const T product = hn::GetLane(hn::SumOfLanes(d, hn::Add(inner, inner1)));
  const auto mean = hn::Set(d, sum == 0 ? T{0} : product / sum);
  sweep(d, 0, n, [&](std::size_t at, auto lanes) HWY_ATTR {
    const auto u = share(d, lanes.load(d, y + at));
    lanes.store(hn::Mul(u, hn::Sub(lanes.load(d, dy + at), mean)), d, dx + at);
  });
}

template <typename T>
HWY_INLINE void RunBackward(double alpha, const T* y, const T* dy, T* dx, std::size_t rows,
                            std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r, y += columns, dy += columns, dx += columns) {
    if (alpha == 2) {
      BackwardRow(SupportShare{}, y, dy, dx, columns);
    } else if (alpha == 1.5) {
      BackwardRow(RootShare{}, y, dy, dx, columns);
    } else {
      BackwardRow(PowerShare<T>{static_cast<T>(2 - alpha)}, y, dy, dx, columns);
    }
  }
}
void SparseBackwardFloat(double alpha, const float* y, const float* dy, float* dx, std::size_t rows,
                         std::size_t columns) {
  RunBackward(alpha, y, dy, dx, rows, columns);
}
void SparseBackwardDouble(double alpha, const double* y, const double* dy, double* dx,
                          std::size_t rows, std::size_t columns) {
  RunBackward(alpha, y, dy, dx, rows, columns);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(SparseBackwardFloat);
HWY_EXPORT(SparseBackwardDouble);

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
  const auto run = HEED_DISPATCH(T, SparseBackward);
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

#define HEED_INSTANTIATE(T)                                                                    \
  template void sparsemax_backward(const T*, const T*, T*, std::size_t, std::size_t) noexcept; \
  template void entmax_backward(double, const T*, const T*, T*, std::size_t,                   \
                                std::size_t) noexcept;                                         \
  template double entmax_alpha_gradient(double, const T*, const T*, std::size_t) noexcept;
HEED_INSTANTIATE(float)
HEED_INSTANTIATE(double)
#undef HEED_INSTANTIATE

}  // namespace heed::kernels
#endif  // HWY_ONCE
