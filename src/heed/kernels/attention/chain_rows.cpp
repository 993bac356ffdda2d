// SPDX-License-Identifier: Apache-2.0
// Chains along rows, with run-time dispatch: one row in each lane, since the sums run along the
// items and rows know nothing of each other.
//
// Log-odds f_i of an item given those before it, b_i what those after it add, u_i = x_i + b_i;
// y_i = sigmoid(f_i + b_i). What a neighbour of log-odds v adds is
//   log((e^-change + e^(coupling + v)) / (1 + e^(v - change))),
// with e = exp(-|v|) one quotient of 1 + constant e, and so is its slope. f runs from the left
// while b runs from the right, in two vectors of rows each: four chains are under way at once, and
// none waits for another.
#include "heed/kernels/attention/chain_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#ifndef HEED_KERNELS_CHAIN_ROWS_CPP_
#define HEED_KERNELS_CHAIN_ROWS_CPP_
namespace heed::kernels {
namespace {

// For log-odds above 0 and for the others: log((1 + top e) / (1 + bottom e)) + offset.
template <typename T>
struct ChainSide {
  T offset, top, bottom;
  T slope;  // the derivative is slope e / ((1 + top e) (1 + bottom e))
};
template <typename T>
struct ChainSides {
  ChainSide<T> above, below;

  explicit ChainSides(const ChainPair& pair) {
    const double both = pair.coupling + pair.change;
    above = side(both, std::exp(-both), std::exp(pair.change), 1);
    below = side(-pair.change, std::exp(both), std::exp(-pair.change), -1);
  }
  static ChainSide<T> side(double offset, double top, double bottom, double sign) {
    return {static_cast<T>(offset), static_cast<T>(top), static_cast<T>(bottom),
            static_cast<T>(sign * (bottom - top))};
  }
};

template <typename T>
struct ChainRowsCall {
  ChainPair pair;
  const T* x;
  const T* y;   // of backward
  const T* dy;  // of backward; null: forward
  T* out;
  std::size_t rows, columns;
};

Scratch& chain_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

}  // namespace
}  // namespace heed::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/chain_rows.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// Two vectors of rows at a time.
template <typename T>
constexpr std::size_t kChainRows = 2 * HWY_LANES(T);

// What a neighbour of log-odds v adds, and its derivative.
template <class D, class V>
HWY_INLINE V ChainStep(D d, const ChainSides<hn::TFromD<D>>& sides, V v, V& slope) {
  const auto& a = sides.above;
  const auto& b = sides.below;
  const auto above = hn::Gt(v, hn::Zero(d));
  const auto pick = [&](auto of_a, auto of_b) HWY_ATTR {
    return hn::IfThenElse(above, hn::Set(d, of_a), hn::Set(d, of_b));
  };
  const V one = hn::Set(d, hn::TFromD<D>{1});
  const V e = ExpNonPositive(d, hn::Neg(hn::Abs(v)));
  const V top = hn::MulAdd(pick(a.top, b.top), e, one);
  const V bottom = hn::MulAdd(pick(a.bottom, b.bottom), e, one);
  slope = hn::Div(hn::Mul(pick(a.slope, b.slope), e), hn::Mul(top, bottom));
  return hn::Add(pick(a.offset, b.offset), Log(d, hn::Div(top, bottom)));
}

// Calls left(vector, place, f, slope) for the items from the left, right(vector, place, b, slope)
// for those from the right; the slopes are those of the steps from f and from u.
template <typename T, class Left, class Right>
HWY_INLINE void ChainSweeps(const ChainSides<T>& sides, const T* columns, std::size_t n,
                            const Left& left, const Right& right) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = HWY_LANES(T);
  V before[2] = {hn::Zero(d), hn::Zero(d)}, after[2] = {hn::Zero(d), hn::Zero(d)};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t place[] = {i * kChainRows<T>, (n - 1 - i) * kChainRows<T>};
    for (std::size_t k = 0; k < 2; ++k) {
      const V f = hn::Add(hn::Load(d, columns + place[0] + k * kLanes), before[k]);
      const V b = after[k];
      const V u = hn::Add(hn::Load(d, columns + place[1] + k * kLanes), b);
      V slope_f, slope_u;
      before[k] = ChainStep(d, sides, f, slope_f);
      after[k] = ChainStep(d, sides, u, slope_u);
      left(place[0] + k * kLanes, f, slope_f);
      right(place[1] + k * kLanes, b, slope_u);
    }
  }
}

// rows x columns to columns x kChainRows and back; rows beyond the last are zeros.
template <typename T>
HWY_INLINE void Lay(const T* x, std::size_t rows, std::size_t n, T* columns) {
  if (rows < kChainRows<T>) std::fill_n(columns, n * kChainRows<T>, T{0});
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < n; ++c) columns[c * kChainRows<T> + r] = x[r * n + c];
  }
}
template <typename T>
HWY_INLINE void TakeUp(const T* columns, std::size_t rows, std::size_t n, T* y) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < n; ++c) y[r * n + c] = columns[c * kChainRows<T> + r];
  }
}

template <typename T>
HWY_INLINE void ForwardGroup(const ChainSides<T>& sides, const T* x, T* y, std::size_t rows,
                             std::size_t n, T* room) {
  const hn::ScalableTag<T> d;
  const std::size_t size = n * kChainRows<T>;
  T* const columns = room;
  T* const fs = room + size;
  T* const bs = fs + size;
  using V = hn::Vec<decltype(d)>;
  Lay(x, rows, n, columns);
  ChainSweeps(
      sides, columns, n, [=](std::size_t at, V f, V) HWY_ATTR { hn::Store(f, d, fs + at); },
      [=](std::size_t at, V b, V) HWY_ATTR { hn::Store(b, d, bs + at); });
  for (std::size_t at = 0; at < size; at += HWY_LANES(T)) {
    hn::Store(Sigmoid(d, hn::Add(hn::Load(d, fs + at), hn::Load(d, bs + at))), d, fs + at);
  }
  TakeUp(fs, rows, n, y);
}

// m = dy y (1 - y), the gradient of the log-odds; r_i = m_i + slope(f_i) r_(i+1) comes back along
// f, l_i = m_i + slope(u_i) l_(i-1) along u, and dx = r + l - m.
template <typename T>
HWY_INLINE void BackwardGroup(const ChainSides<T>& sides, const T* x, const T* y, const T* dy,
                              T* dx, std::size_t rows, std::size_t n, T* room) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = HWY_LANES(T);
  const std::size_t size = n * kChainRows<T>;
  T* const columns = room;
  T* const slopes_f = room + size;
  T* const slopes_u = slopes_f + size;
  Lay(x, rows, n, columns);
  ChainSweeps(
      sides, columns, n,
      [=](std::size_t at, V, V slope) HWY_ATTR { hn::Store(slope, d, slopes_f + at); },
      [=](std::size_t at, V, V slope) HWY_ATTR { hn::Store(slope, d, slopes_u + at); });
  T* const m = columns;  // the scores are done with
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      const T p = y[r * n + c];
      m[c * kChainRows<T> + r] = dy[r * n + c] * p * (1 - p);
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    V back = hn::Zero(d);
    for (std::size_t i = n; i-- > 0;) {
      const std::size_t at = i * kChainRows<T> + k * kLanes;
      back = hn::MulAdd(hn::Load(d, slopes_f + at), back, hn::Load(d, m + at));
      hn::Store(back, d, slopes_f + at);
    }
    back = hn::Zero(d);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i * kChainRows<T> + k * kLanes;
      const V from_left = hn::Mul(hn::Load(d, slopes_u + at), back);
      back = hn::Add(hn::Load(d, m + at), from_left);
      hn::Store(hn::Add(hn::Load(d, slopes_f + at), from_left), d, slopes_f + at);
    }
  }
  TakeUp(slopes_f, rows, n, dx);
}

// False: no memory.
template <typename T>
HWY_INLINE bool ChainRows(const ChainRowsCall<T>& call) {
  const std::size_t n = call.columns;
  T* const room = static_cast<T*>(chain_scratch().reserve(3 * n * kChainRows<T> * sizeof(T)));
  if (room == nullptr) return false;
  const ChainSides<T> sides(call.pair);
  for (std::size_t r = 0; r < call.rows; r += kChainRows<T>) {
    const std::size_t rows = std::min(kChainRows<T>, call.rows - r), at = r * n;
    if (call.dy == nullptr) {
      ForwardGroup(sides, call.x + at, call.out + at, rows, n, room);
    } else {
      BackwardGroup(sides, call.x + at, call.y + at, call.dy + at, call.out + at, rows, n, room);
    }
  }
  return true;
}

bool ChainRowsEntry(const ChainRowsCall<Scalar>& call) {
  return ChainRows(call);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(ChainRowsEntry);

namespace {

template <typename T>
bool run_chain_rows(const ChainRowsCall<T>& call) noexcept {
  if (call.columns == 0) return true;
  const auto run = HWY_DYNAMIC_DISPATCH(ChainRowsEntry);
  // Some twenty times the work of an elementwise map; whole groups of 32 rows but for the last.
  const std::size_t grain = (kElementwiseGrain / 16 / call.columns + 32) / 32 * 32;
  std::atomic<bool> done = true;
  parallel_for((call.rows + 31) / 32, grain / 32, [&](std::size_t begin, std::size_t end) {
    const std::size_t first = 32 * begin, last = std::min(32 * end, call.rows);
    ChainRowsCall<T> part = call;
    part.rows = last - first;
    part.x += first * call.columns;
    part.out += first * call.columns;
    if (call.dy != nullptr) {
      part.y += first * call.columns;
      part.dy += first * call.columns;
    }
    if (!run(part)) done = false;
  });
  return done;
}

}  // namespace

template <typename T>
bool chain_marginals(const ChainPair& pair, const T* x, T* y, std::size_t rows,
                     std::size_t columns) noexcept {
  return run_chain_rows<T>({pair, x, nullptr, nullptr, y, rows, columns});
}
template <typename T>
bool chain_marginals_backward(const ChainPair& pair, const T* x, const T* y, const T* dy, T* dx,
                              std::size_t rows, std::size_t columns) noexcept {
  return run_chain_rows<T>({pair, x, y, dy, dx, rows, columns});
}

template bool chain_marginals(const ChainPair&, const Scalar*, Scalar*, std::size_t,
                              std::size_t) noexcept;
template bool chain_marginals_backward(const ChainPair&, const Scalar*, const Scalar*,
                                       const Scalar*, Scalar*, std::size_t, std::size_t) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
