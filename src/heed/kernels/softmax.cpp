// SPDX-License-Identifier: Apache-2.0
// Softmax along rows, with run-time dispatch.
//
// A row is taken in blocks that fit L1: the maximum of a block, then its exponentials relative to
// that maximum. Out of cache this reads x from memory once and writes y once, and memory and
// arithmetic overlap; what is left, the factor exp(block maximum - row maximum) / sum, is applied
// to y while it is in L2.
#include "heed/kernels/softmax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/softmax.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"

#ifndef HEED_KERNELS_SOFTMAX_CPP_
#define HEED_KERNELS_SOFTMAX_CPP_
namespace heed::kernels {
namespace {

// A block holds this many bytes of x, and as many of y.
constexpr std::size_t kBlockBytes = 8192;
constexpr std::size_t kMostBlocks = 128;

// One exported function per operand count serves all.
enum class RowMap { softmax, log_softmax, log_sum_exp };
enum class RowBackward { softmax, log_softmax };

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// The largest of n >= 1 items. A NaN may be lost: it comes back with the exponentials.
template <typename T>
HWY_INLINE T BlockMaximum(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  if (n < kLanes) return *std::max_element(x, x + n);
  auto best0 = hn::LoadU(d, x + n - kLanes), best1 = best0, best2 = best0, best3 = best0;
  std::size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    best0 = hn::Max(best0, hn::LoadU(d, x + i));
    best1 = hn::Max(best1, hn::LoadU(d, x + i + kLanes));
    best2 = hn::Max(best2, hn::LoadU(d, x + i + 2 * kLanes));
    best3 = hn::Max(best3, hn::LoadU(d, x + i + 3 * kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) best0 = hn::Max(best0, hn::LoadU(d, x + i));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(best0, best1), hn::Max(best2, best3))));
}

// Returns the sum of exp(x - shift) over n >= 1 items and, with kStore, keeps them in y.
template <bool kStore, typename T>
HWY_INLINE T BlockExp(const T* x, T shift, T* y, std::size_t n) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  const auto offset = hn::Set(d, shift);
  if (n < kLanes) {
    const Tail tail{n};
    const auto e = ExpNonPositive(d, hn::Sub(tail.load(d, x), offset));
    if constexpr (kStore) tail.store(e, d, y);
    return hn::GetLane(hn::SumOfLanes(d, tail.inside(d, e)));
  }
  // The last vector overlaps the one before it; it is computed first, because y may be x.
  const std::size_t end = n - kLanes;
  const auto last = ExpNonPositive(d, hn::Sub(hn::LoadU(d, x + end), offset));
  auto sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i < end; i += kLanes) {
    // What follows, the next block or row, comes from memory while this block computes: .57 of the
    // copy rate became .75 (one core, AVX2, rows of 512).
    __builtin_prefetch(x + n + i);
    if constexpr (kStore) __builtin_prefetch(y + n + i);
    const auto e = ExpNonPositive(d, hn::Sub(hn::LoadU(d, x + i), offset));
    sum = hn::Add(sum, e);
    if constexpr (kStore) hn::StoreU(e, d, y + i);
  }
  if constexpr (kStore) hn::StoreU(last, d, y + end);
  sum = hn::Add(sum, hn::IfThenZeroElse(hn::FirstN(d, i - end), last));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// The sum of exp(x - maximum) so far.
template <typename T>
struct ExpSum {
  T maximum = -std::numeric_limits<T>::infinity();
  T sum = 0;

  // Adds a block's sum, taken relative to its own maximum.
  void Add(T block_maximum, T block_sum) {
    if (block_maximum > maximum) {
      sum = sum * std::exp(maximum - block_maximum) + block_sum;
      maximum = block_maximum;
    } else if (block_maximum == -std::numeric_limits<T>::infinity()) {
      sum += block_sum;  // 0, or NaN
    } else {
      sum += block_sum * std::exp(block_maximum - maximum);
    }
  }
};

template <typename T>
HWY_INLINE std::size_t BlockSize(std::size_t n) {
  return std::max(kBlockBytes / sizeof(T), (n + kMostBlocks - 1) / kMostBlocks);
}

// Sums exp(x - maximum) over a row, block by block; with kStore, y gets exp(x - the maximum of its
// block) and block_maxima those maxima.
template <bool kStore, typename T>
HWY_INLINE ExpSum<T> SumRow(const T* x, T* y, std::size_t n, T* block_maxima) {
  ExpSum<T> total;
  const std::size_t block = BlockSize<T>(n);
  for (std::size_t begin = 0, b = 0; begin < n; begin += block, ++b) {
    const std::size_t count = std::min(block, n - begin);
    const T maximum = BlockMaximum(x + begin, count);
    // -inf less -inf would be NaN; less 0 it gives the weight 0.
    const T shift = maximum == -std::numeric_limits<T>::infinity() ? T{0} : maximum;
    total.Add(maximum, BlockExp<kStore>(x + begin, shift, kStore ? y + begin : nullptr, count));
    if constexpr (kStore) block_maxima[b] = maximum;
  }
  return total;
}

template <typename T>
struct TimesMap {
  T factor;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, hn::Set(d, factor));
  }
};

// (x - a) - b keeps the digits that x - (a + b) loses when a is large.
template <typename T>
struct LessTwoMap {
  T a, b;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Sub(hn::Sub(x, hn::Set(d, a)), hn::Set(d, b));
  }
};

template <typename T>
HWY_INLINE void SoftmaxRow(const T* x, T* y, std::size_t n) {
  std::array<T, kMostBlocks> block_maxima;
  const ExpSum<T> total = SumRow<true>(x, y, n, block_maxima.data());
  if (total.sum == 0) return;  // -inf only: y is 0 already
  const std::size_t block = BlockSize<T>(n);
  for (std::size_t begin = 0, b = 0; begin < n; begin += block, ++b) {
    const T scale =
        block_maxima[b] == total.maximum ? T{1} : std::exp(block_maxima[b] - total.maximum);
    MapArrays(TimesMap<T>{scale / total.sum}, std::min(block, n - begin), y + begin, y + begin);
  }
}

template <typename T>
HWY_INLINE void LogSoftmaxRow(const T* x, T* y, std::size_t n) {
  const ExpSum<T> total = SumRow<false, T>(x, nullptr, n, nullptr);
  if (total.sum == 0) {
    std::fill_n(y, n, -std::numeric_limits<T>::infinity());
    return;
  }
  MapArrays(LessTwoMap<T>{total.maximum, std::log(total.sum)}, n, y, x);
}

template <typename T>
HWY_INLINE T LogSumExpRow(const T* x, std::size_t n) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const ExpSum<T> total = SumRow<false, T>(x, nullptr, n, nullptr);
  if (total.maximum == kInfinity) {
    const bool nan = std::any_of(x, x + n, [](T v) { return std::isnan(v); });
    return nan ? static_cast<T>(NAN) : kInfinity;
  }
  return total.maximum + std::log(total.sum);
}

// The sum that body adds to over a row, in blocks.
template <typename T, class Body>
HWY_INLINE T BlockedSum(std::size_t n, const Body& body) {
  const hn::ScalableTag<T> d;
  T total = 0;
  const std::size_t block = BlockSize<T>(n);
  for (std::size_t begin = 0; begin < n; begin += block) {
    total += SumOver(d, std::min(block, n - begin),
                     [&](std::size_t i, auto lanes, auto& sum)
                         HWY_ATTR { body(begin + i, lanes, sum); });
  }
  return total;
}

template <typename T>
struct SoftmaxBackwardMap {
  T inner;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V dy) const {
    return hn::Mul(y, hn::Sub(dy, hn::Set(d, inner)));
  }
};
template <typename T>
HWY_INLINE void SoftmaxBackwardRow(const T* y, const T* dy, T* dx, std::size_t n) {
  const hn::ScalableTag<T> d;
  const T inner = BlockedSum<T>(n, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
    sum = hn::MulAdd(lanes.load(d, y + i), lanes.load(d, dy + i), sum);
  });
  MapArrays(SoftmaxBackwardMap<T>{inner}, n, dx, y, dy);
}

template <typename T>
struct LogSoftmaxBackwardMap {
  T total;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V dy) const {
    return hn::NegMulAdd(ExpNonPositive(d, y), hn::Set(d, total), dy);
  }
};
template <typename T>
HWY_INLINE void LogSoftmaxBackwardRow(const T* y, const T* dy, T* dx, std::size_t n) {
  const hn::ScalableTag<T> d;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  if (std::all_of(y, y + n, [](T v) { return v == -kInfinity; })) {
    std::fill_n(dx, n, T{0});
    return;
  }
  const T total = BlockedSum<T>(n, [&](std::size_t i, auto lanes, auto& sum)
                                       HWY_ATTR { sum = hn::Add(sum, lanes.load(d, dy + i)); });
  MapArrays(LogSoftmaxBackwardMap<T>{total}, n, dx, y, dy);
}

template <typename T>
HWY_INLINE void RunRows(RowMap map, const T* x, T* y, std::size_t rows, std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r) {
    const T* row = x + r * columns;
    if (map == RowMap::softmax) SoftmaxRow(row, y + r * columns, columns);
    if (map == RowMap::log_softmax) LogSoftmaxRow(row, y + r * columns, columns);
    if (map == RowMap::log_sum_exp) y[r] = LogSumExpRow(row, columns);
  }
}
void RowsEntry(RowMap map, const Scalar* x, Scalar* y, std::size_t rows, std::size_t columns) {
  RunRows(map, x, y, rows, columns);
}

template <typename T>
HWY_INLINE void RunRowsBackward(RowBackward map, const T* y, const T* dy, T* dx, std::size_t rows,
                                std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t at = r * columns;
    if (map == RowBackward::softmax) SoftmaxBackwardRow(y + at, dy + at, dx + at, columns);
    if (map == RowBackward::log_softmax) LogSoftmaxBackwardRow(y + at, dy + at, dx + at, columns);
  }
}
void RowsBackwardEntry(RowBackward map, const Scalar* y, const Scalar* dy, Scalar* dx,
                       std::size_t rows, std::size_t columns) {
  RunRowsBackward(map, y, dy, dx, rows, columns);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(RowsEntry);
HWY_EXPORT(RowsBackwardEntry);

namespace {

// Rows below which a second thread does not pay.
std::size_t row_grain(std::size_t columns) noexcept {
  return kElementwiseGrain / 4 / std::max<std::size_t>(columns, 1) + 1;
}

template <typename T>
void run_rows(RowMap map, const T* x, T* y, std::size_t rows, std::size_t columns) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(RowsEntry);
  const std::size_t width = map == RowMap::log_sum_exp ? 1 : columns;
  parallel_for(rows, row_grain(columns), [=](std::size_t begin, std::size_t end) {
    run(map, x + begin * columns, y + begin * width, end - begin, columns);
  });
}

template <typename T>
void run_rows_backward(RowBackward map, const T* y, const T* dy, T* dx, std::size_t rows,
                       std::size_t columns) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(RowsBackwardEntry);
  parallel_for(rows, row_grain(columns), [=](std::size_t begin, std::size_t end) {
    const std::size_t at = begin * columns;
    run(map, y + at, dy + at, dx + at, end - begin, columns);
  });
}

}  // namespace

template <typename T>
void softmax(const T* x, T* y, std::size_t rows, std::size_t columns) noexcept {
  run_rows(RowMap::softmax, x, y, rows, columns);
}
template <typename T>
void softmax_backward(const T* y, const T* dy, T* dx, std::size_t rows,
                      std::size_t columns) noexcept {
  run_rows_backward(RowBackward::softmax, y, dy, dx, rows, columns);
}
template <typename T>
void log_softmax(const T* x, T* y, std::size_t rows, std::size_t columns) noexcept {
  run_rows(RowMap::log_softmax, x, y, rows, columns);
}
template <typename T>
void log_softmax_backward(const T* y, const T* dy, T* dx, std::size_t rows,
                          std::size_t columns) noexcept {
  run_rows_backward(RowBackward::log_softmax, y, dy, dx, rows, columns);
}
template <typename T>
void log_sum_exp(const T* x, T* y, std::size_t rows, std::size_t columns) noexcept {
  run_rows(RowMap::log_sum_exp, x, y, rows, columns);
}

template void softmax(const Scalar*, Scalar*, std::size_t, std::size_t) noexcept;
template void softmax_backward(const Scalar*, const Scalar*, Scalar*, std::size_t,
                               std::size_t) noexcept;
template void log_softmax(const Scalar*, Scalar*, std::size_t, std::size_t) noexcept;
template void log_softmax_backward(const Scalar*, const Scalar*, Scalar*, std::size_t,
                                   std::size_t) noexcept;
template void log_sum_exp(const Scalar*, Scalar*, std::size_t, std::size_t) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
