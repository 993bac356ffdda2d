// SPDX-License-Identifier: Apache-2.0
// Sums and extremes over an array, and per row of a matrix, with run-time dispatch.
#include "heed/kernels/reductions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/reductions.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/lanes-inl.h"

#ifndef HEED_KERNELS_REDUCTIONS_CPP_
#define HEED_KERNELS_REDUCTIONS_CPP_
namespace heed::kernels {
namespace {

// One exported function serves them all.
enum class Reduction { sum, sum_squares, dot, maximum, minimum };

// Longer sums are halved, so that no accumulator adds more than some hundred numbers.
constexpr std::size_t kSumBlock = 1024;

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

template <Reduction kReduction, typename T>
HWY_INLINE T SumBlock(const T* a, const T* b, std::size_t n) {
  const hn::ScalableTag<T> d;
  return SumOver(d, n, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
    const auto x = lanes.load(d, a + i);
    if constexpr (kReduction == Reduction::sum) {
      sum = hn::Add(sum, x);
    } else if constexpr (kReduction == Reduction::sum_squares) {
      sum = hn::MulAdd(x, x, sum);
    } else {
      sum = hn::MulAdd(x, lanes.load(d, b + i), sum);
    }
  });
}

// The sum of two halves, cut at a whole number of blocks.
template <Reduction kReduction, typename T>
T PairwiseSum(const T* a, const T* b, std::size_t n) {
  if (n <= kSumBlock) return SumBlock<kReduction>(a, b, n);
  const std::size_t half = (n / kSumBlock + 1) / 2 * kSumBlock;
  const T first = PairwiseSum<kReduction>(a, b, half);
  const T* b_half = kReduction == Reduction::dot ? b + half : b;  // the others have no b
  return first + PairwiseSum<kReduction>(a + half, b_half, n - half);
}

// The largest item, or NaN where there is one; kSign -1 turns it into the smallest.
template <int kSign, typename T>
HWY_INLINE T Extreme(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  const auto better = [](auto a, auto b)
                          HWY_ATTR { return kSign > 0 ? hn::Max(a, b) : hn::Min(a, b); };
  auto best0 = hn::Set(d, static_cast<T>(-kSign * INFINITY)), best1 = best0;
  // Max and Min may lose a NaN; this keeps it.
  auto nan0 = hn::Zero(d), nan1 = nan0;
  const auto take = [&](auto v, auto& best, auto& nan) HWY_ATTR {
    best = better(best, v);
    nan = hn::Or(nan, hn::VecFromMask(d, hn::IsNaN(v)));
  };
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    take(hn::LoadU(d, x + i), best0, nan0);
    take(hn::LoadU(d, x + i + kLanes), best1, nan1);
  }
  for (; i + kLanes <= n; i += kLanes) take(hn::LoadU(d, x + i), best0, nan0);
  bool nan = !hn::AllFalse(d, hn::MaskFromVec(hn::Or(nan0, nan1)));
  const auto best = better(best0, best1);
  T result = hn::GetLane(kSign > 0 ? hn::MaxOfLanes(d, best) : hn::MinOfLanes(d, best));
  for (; i < n; ++i) {
    nan |= std::isnan(x[i]);
    result = kSign * x[i] > kSign * result ? x[i] : result;
  }
  return nan ? static_cast<T>(NAN) : result;
}

template <typename T>
HWY_INLINE T RunReduce(Reduction reduction, const T* a, const T* b, std::size_t n) {
  switch (reduction) {
    case Reduction::sum:
      return PairwiseSum<Reduction::sum>(a, b, n);
    case Reduction::sum_squares:
      return PairwiseSum<Reduction::sum_squares>(a, b, n);
    case Reduction::dot:
      return PairwiseSum<Reduction::dot>(a, b, n);
    case Reduction::maximum:
      return Extreme<1>(a, n);
    case Reduction::minimum:
      return Extreme<-1>(a, n);
  }
  return 0;
}

Scalar ReduceEntry(Reduction reduction, const Scalar* a, const Scalar* b, std::size_t n) {
  return RunReduce(reduction, a, b, n);
}

// The first index whose item is value, or NaN where value is NaN; n when there is none.
template <typename T>
HWY_INLINE std::size_t Find(const T* x, std::size_t n, T value) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  const bool nan = std::isnan(value);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto v = hn::LoadU(d, x + i);
    const auto found = nan ? hn::IsNaN(v) : hn::Eq(v, hn::Set(d, value));
    if (!hn::AllFalse(d, found)) break;
  }
  while (i < n && !(nan ? std::isnan(x[i]) : x[i] == value)) ++i;
  return i;
}
std::size_t FindEntry(const Scalar* x, std::size_t n, Scalar value) {
  return Find(x, n, value);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(ReduceEntry);
HWY_EXPORT(FindEntry);

namespace {

// Long arrays are cut into this many parts whatever the thread count, so that it does not change a
// bit of the result.
constexpr std::size_t kParts = 64;

// partial[0, kParts) = the reduction of each part.
template <typename T>
void reduce_parts(Reduction reduction, const T* a, const T* b, std::size_t n, T* partial) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(ReduceEntry);
  parallel_for(kParts, 1, [=](std::size_t first, std::size_t last) {
    for (std::size_t part = first; part < last; ++part) {
      const std::size_t begin = n / kParts * part;
      const std::size_t end = part + 1 == kParts ? n : n / kParts * (part + 1);
      partial[part] = run(reduction, a + begin, b == nullptr ? b : b + begin, end - begin);
    }
  });
}

template <typename T>
T reduce(Reduction reduction, const T* a, const T* b, std::size_t n) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(ReduceEntry);
  if (n < 2 * kElementwiseGrain) return run(reduction, a, b, n);
  std::array<T, kParts> partial;
  reduce_parts(reduction, a, b, n, partial.data());
  const bool extreme = reduction == Reduction::maximum || reduction == Reduction::minimum;
  return run(extreme ? reduction : Reduction::sum, partial.data(), nullptr, kParts);
}

}  // namespace

template <typename T>
T sum(const T* x, std::size_t n) noexcept {
  return reduce<T>(Reduction::sum, x, nullptr, n);
}
template <typename T>
T sum_squares(const T* x, std::size_t n) noexcept {
  return reduce<T>(Reduction::sum_squares, x, nullptr, n);
}
template <typename T>
T dot(const T* a, const T* b, std::size_t n) noexcept {
  return reduce<T>(Reduction::dot, a, b, n);
}
template <typename T>
T maximum(const T* x, std::size_t n) noexcept {
  return reduce<T>(Reduction::maximum, x, nullptr, n);
}
template <typename T>
T minimum(const T* x, std::size_t n) noexcept {
  return reduce<T>(Reduction::minimum, x, nullptr, n);
}

template <typename T>
std::size_t argmax(const T* x, std::size_t n) noexcept {
  if (n == 0) return 0;
  return HWY_DYNAMIC_DISPATCH(FindEntry)(x, n, maximum(x, n));
}

template <typename T>
void sum_rows(const T* x, std::size_t rows, std::size_t columns, T* y) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(ReduceEntry);
  const std::size_t grain = kElementwiseGrain / std::max<std::size_t>(columns, 1) + 1;
  parallel_for(rows, grain, [=](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      y[r] = run(Reduction::sum, x + r * columns, nullptr, columns);
    }
  });
}

template <typename T>
void maximum_rows(const T* x, std::size_t rows, std::size_t columns, T* y,
                  std::int32_t* index) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(ReduceEntry);
  const auto find = HWY_DYNAMIC_DISPATCH(FindEntry);
  const std::size_t grain = kElementwiseGrain / std::max<std::size_t>(columns, 1) + 1;
  parallel_for(rows, grain, [=](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const T* row = x + r * columns;
      y[r] = run(Reduction::maximum, row, nullptr, columns);
      if (index != nullptr) index[r] = static_cast<std::int32_t>(find(row, columns, y[r]));
    }
  });
}

template Scalar sum(const Scalar*, std::size_t) noexcept;
template Scalar sum_squares(const Scalar*, std::size_t) noexcept;
template Scalar dot(const Scalar*, const Scalar*, std::size_t) noexcept;
template Scalar maximum(const Scalar*, std::size_t) noexcept;
template Scalar minimum(const Scalar*, std::size_t) noexcept;
template std::size_t argmax(const Scalar*, std::size_t) noexcept;
template void sum_rows(const Scalar*, std::size_t, std::size_t, Scalar*) noexcept;
template void maximum_rows(const Scalar*, std::size_t, std::size_t, Scalar*,
                           std::int32_t*) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
