// SPDX-License-Identifier: Apache-2.0
// Cross-entropy rows: logits are read from memory once per direction, and no probabilities are
// stored in between.
#include "heed/kernels/cross_entropy.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cross_entropy.cpp"
#include "heed/kernels/highway.h"
// After highway.h, which sets the target that these headers are compiled for.
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"

#ifndef HEED_KERNELS_CROSS_ENTROPY_TYPES_
#define HEED_KERNELS_CROSS_ENTROPY_TYPES_
namespace heed::kernels {
namespace {

template <typename T>
struct CrossEntropyGradient {
  const T* log_sum_exp;
  const T* scales;
  T* dlogits;
};

// Whether the row has a target; checks that it is a class.
template <typename T>
bool is_counted(const CrossEntropyRows<T>& rows, std::size_t row) {
  const std::int32_t target = rows.targets[row];
  if (target == rows.ignored) return false;
  assert(target >= 0 && static_cast<std::size_t>(target) < rows.classes);
  return true;
}

}  // namespace
}  // namespace heed::kernels
#endif  // HEED_KERNELS_CROSS_ENTROPY_TYPES_

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

// The largest of n > 0 items.
template <typename T>
HWY_INLINE T Largest(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t step = hn::Lanes(d);
  auto max0 = hn::Set(d, x[0]), max1 = max0, max2 = max0, max3 = max0;
  std::size_t i = 0;
  for (; i + 4 * step <= n; i += 4 * step) {
    max0 = hn::Max(max0, hn::LoadU(d, x + i));
    max1 = hn::Max(max1, hn::LoadU(d, x + i + step));
    max2 = hn::Max(max2, hn::LoadU(d, x + i + 2 * step));
    max3 = hn::Max(max3, hn::LoadU(d, x + i + 3 * step));
  }
  for (; i + step <= n; i += step) max0 = hn::Max(max0, hn::LoadU(d, x + i));
  const auto max = hn::Max(hn::Max(max0, max1), hn::Max(max2, max3));
  T result = hn::GetLane(hn::MaxOfLanes(d, max));
  for (; i < n; ++i) result = std::max(result, x[i]);
  return result;
}

template <typename T>
HWY_INLINE void ForwardRows(const CrossEntropyRows<T>& rows, T* losses, T* log_sum_exp,
                            std::size_t begin, std::size_t end) {
  const hn::ScalableTag<T> d;
  const std::size_t n = rows.classes;
  for (std::size_t row = begin; row < end; ++row) {
    const T* const z = rows.logits + row * n;
    const T top = Largest(z, n);
    const auto shift = hn::Set(d, top);
    const T total = SumOver(d, n, [=](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
      const auto e = ExpNonPositive(d, hn::Sub(lanes.load(d, z + i), shift));
      sum = hn::Add(sum, lanes.inside(d, e));
    });
    const T log_total = std::log(total);
    log_sum_exp[row] = top + log_total;
    losses[row] = 0;
    if (!is_counted(rows, row)) continue;
    // Counted from the largest logit, so that adding log_total to large logits costs no digits.
    T expected = (1 - rows.smoothing) * (z[rows.targets[row]] - top);
    if (rows.smoothing > 0) {
      const T sum_z = SumOver(d, n, [=](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
        sum = hn::Add(sum, lanes.inside(d, hn::Sub(lanes.load(d, z + i), shift)));
      });
      expected += rows.smoothing * (sum_z / static_cast<T>(n));
    }
    losses[row] = log_total - expected;
  }
}

template <typename T>
HWY_INLINE void BackwardRows(const CrossEntropyRows<T>& rows,
                             const CrossEntropyGradient<T>& gradient, std::size_t begin,
                             std::size_t end) {
  const hn::ScalableTag<T> d;
  const std::size_t n = rows.classes;
  const auto spread = hn::Set(d, rows.smoothing / static_cast<T>(n));
  for (std::size_t row = begin; row < end; ++row) {
    const T* const z = rows.logits + row * n;
    T* const dz = gradient.dlogits + row * n;
    if (!is_counted(rows, row)) {
      std::fill_n(dz, n, T{0});
      continue;
    }
    const T scale = gradient.scales[row];
    const auto shift = hn::Set(d, gradient.log_sum_exp[row]);
    const auto factor = hn::Set(d, scale);
    Sweep(d, 0, n, [=](std::size_t i, auto lanes) HWY_ATTR {
      const auto p = ExpNonPositive(d, hn::Sub(lanes.load(d, z + i), shift));
      lanes.store(hn::Mul(factor, hn::Sub(p, spread)), d, dz + i);
    });
    dz[rows.targets[row]] -= scale * (1 - rows.smoothing);
  }
}

void ForwardEntry(const CrossEntropyRows<Scalar>& rows, Scalar* losses, Scalar* log_sum_exp,
                  std::size_t begin, std::size_t end) {
  ForwardRows(rows, losses, log_sum_exp, begin, end);
}
void BackwardEntry(const CrossEntropyRows<Scalar>& rows,
                   const CrossEntropyGradient<Scalar>& gradient, std::size_t begin,
                   std::size_t end) {
  BackwardRows(rows, gradient, begin, end);
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(ForwardEntry);
HWY_EXPORT(BackwardEntry);

// Rows that are worth a thread: at least 8192 exponentials.
std::size_t grain_rows(std::size_t classes) {
  return 8192 / std::max<std::size_t>(1, classes) + 1;
}

}  // namespace

template <typename T>
void cross_entropy(const CrossEntropyRows<T>& rows, T* losses, T* log_sum_exp) noexcept {
  parallel_for(rows.rows, grain_rows(rows.classes), [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(ForwardEntry)(rows, losses, log_sum_exp, begin, end);
  });
}

template <typename T>
void cross_entropy_backward(const CrossEntropyRows<T>& rows, const T* log_sum_exp, const T* scales,
                            T* dlogits) noexcept {
  const CrossEntropyGradient<T> gradient{log_sum_exp, scales, dlogits};
  parallel_for(rows.rows, grain_rows(rows.classes), [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(BackwardEntry)(rows, gradient, begin, end);
  });
}

template void cross_entropy(const CrossEntropyRows<Scalar>&, Scalar*, Scalar*) noexcept;
template void cross_entropy_backward(const CrossEntropyRows<Scalar>&, const Scalar*, const Scalar*,
                                     Scalar*) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
