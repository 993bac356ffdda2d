// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm: one row at a time, read from memory once and from the first cache after.
#include "heed/kernels/norms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/norms.cpp"
#include "heed/kernels/highway.h"
// After highway.h, which sets the target that this header is compiled for.
#include "heed/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

enum class Kind { layer, rms };

// Asks for the cache line of the next row while this one is worked on: the passes over a row in the
// first cache would otherwise leave the memory idle (layer norm of 1024 columns: from .74 to .87 of
// the stream rate).
template <typename T>
HWY_INLINE void Fetch(const T* from) {
  __builtin_prefetch(from);
}

// The two sums that body(i, lanes, first, second) adds to over [0, n).
template <class D, class Body>
HWY_INLINE void TwoSumsOver(D d, std::size_t n, std::array<hn::TFromD<D>, 2>& sums,
                            const Body& body) {
  const std::size_t step = hn::Lanes(d);
  auto first0 = hn::Zero(d), first1 = first0, second0 = first0, second1 = first0;
  std::size_t i = 0;
  for (; i + 2 * step <= n; i += 2 * step) {
    body(i, WholeVector{}, first0, second0);
    body(i + step, WholeVector{}, first1, second1);
  }
  if (i + step <= n) {
    body(i, WholeVector{}, first0, second0);
    i += step;
  }
  if (i < n) body(i, Tail{n - i}, first1, second1);
  sums[0] = hn::GetLane(hn::SumOfLanes(d, hn::Add(first0, first1)));
  sums[1] = hn::GetLane(hn::SumOfLanes(d, hn::Add(second0, second1)));
}

// The mean is taken off before squaring: E[x^2] - E[x]^2 would cancel for rows far from zero.
template <Kind kKind, typename T>
HWY_INLINE void ForwardRows(const NormForward<T>& norm, std::size_t begin, std::size_t end) {
  const hn::ScalableTag<T> d;
  const std::size_t n = norm.columns;
  const T* const gain = norm.gain;
  const T* const bias = kKind == Kind::layer ? norm.bias : nullptr;
  for (std::size_t row = begin; row < end; ++row) {
    const T* const x = norm.x + row * n;
    const T* const next = row + 1 < end ? x + n : x;
    T* const y = norm.y + row * n;
    T mean = 0;
    if constexpr (kKind == Kind::layer) {
      mean = SumOver(d, n, [=](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
        sum = hn::Add(sum, lanes.load(d, x + i));
      });
      mean /= static_cast<T>(n);
      if (norm.mean != nullptr) norm.mean[row] = mean;
    }
    const auto centre = hn::Set(d, mean);
    const T squares = SumOver(d, n, [=](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
      const auto deviation = lanes.inside(d, hn::Sub(lanes.load(d, x + i), centre));
      sum = hn::MulAdd(deviation, deviation, sum);
    });
    const T inverse = 1 / std::sqrt(squares / static_cast<T>(n) + norm.epsilon);
    if (norm.inverse_deviation != nullptr) norm.inverse_deviation[row] = inverse;
    const auto factor = hn::Set(d, inverse);
    Sweep(d, 0, n, [=](std::size_t i, auto lanes) HWY_ATTR {
      Fetch(next + i);
      auto v = hn::Mul(hn::Sub(lanes.load(d, x + i), centre), factor);
      if (gain != nullptr) v = hn::Mul(v, lanes.load(d, gain + i));
      if (bias != nullptr) v = hn::Add(v, lanes.load(d, bias + i));
      lanes.store(v, d, y + i);
    });
  }
}

// With xhat = (x - mean) / deviation and g = dy * gain,
//   dx = (g - mean(g) - xhat mean(g xhat)) / deviation,   without mean(g) for RMS norm,
//   dgain = sum over rows of dy xhat,   dbias = sum over rows of dy.
// Two rows at a time, to touch dgain and dbias half as often, is slower: .79 of the stream rate
// instead of .93 at 512 columns, for the rows then crowd each other out of the first cache.
template <Kind kKind, typename T>
HWY_INLINE void BackwardRows(const NormBackward<T>& norm, std::size_t begin, std::size_t end) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t n = norm.columns;
  const T* const gain = norm.gain;
  T* const dgain = norm.dgain;
  T* const dbias = kKind == Kind::layer ? norm.dbias : nullptr;
  for (std::size_t row = begin; row < end; ++row) {
    const T* const x = norm.x + row * n;
    const T* const dy = norm.dy + row * n;
    const std::size_t next = row + 1 < end ? n : 0;
    const auto factor = hn::Set(d, norm.inverse_deviation[row]);
    const auto centre = hn::Set(d, kKind == Kind::layer ? norm.mean[row] : T{0});
    const auto normalised = [=](std::size_t i, auto lanes) HWY_ATTR {
      return hn::Mul(hn::Sub(lanes.load(d, x + i), centre), factor);
    };
    const auto gained = [=](V v, std::size_t i, auto lanes) HWY_ATTR {
      return gain == nullptr ? v : hn::Mul(v, lanes.load(d, gain + i));
    };
    T* const dx = norm.dx == nullptr ? nullptr : norm.dx + row * n;
    std::array<T, 2> sums = {0, 0};
    if (dx != nullptr) {
      TwoSumsOver(d, n, sums, [=](std::size_t i, auto lanes, auto& sum, auto& product) HWY_ATTR {
        const auto g = gained(lanes.load(d, dy + i), i, lanes);
        if constexpr (kKind == Kind::layer) sum = hn::Add(sum, g);
        product = hn::MulAdd(g, normalised(i, lanes), product);
      });
    }
    const auto shift = hn::Set(d, sums[0] / static_cast<T>(n));
    const auto slope = hn::Set(d, sums[1] / static_cast<T>(n));
    Sweep(d, 0, n, [=](std::size_t i, auto lanes) HWY_ATTR {
      Fetch(x + next + i);
      Fetch(dy + next + i);
      const auto xhat = normalised(i, lanes);
      const auto g = lanes.load(d, dy + i);
      if (dgain != nullptr) {
        lanes.store(hn::MulAdd(g, xhat, lanes.load(d, dgain + i)), d, dgain + i);
      }
      if (dbias != nullptr) lanes.store(hn::Add(g, lanes.load(d, dbias + i)), d, dbias + i);
      if (dx != nullptr) {
        const auto rest = hn::Sub(gained(g, i, lanes), shift);
        lanes.store(hn::Mul(hn::NegMulAdd(xhat, slope, rest), factor), d, dx + i);
      }
    });
  }
}

void LayerForwardEntry(const NormForward<Scalar>& norm, std::size_t begin, std::size_t end) {
  ForwardRows<Kind::layer>(norm, begin, end);
}
void RmsForwardEntry(const NormForward<Scalar>& norm, std::size_t begin, std::size_t end) {
  ForwardRows<Kind::rms>(norm, begin, end);
}
void LayerBackwardEntry(const NormBackward<Scalar>& norm, std::size_t begin, std::size_t end) {
  BackwardRows<Kind::layer>(norm, begin, end);
}
void RmsBackwardEntry(const NormBackward<Scalar>& norm, std::size_t begin, std::size_t end) {
  BackwardRows<Kind::rms>(norm, begin, end);
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(LayerForwardEntry);
HWY_EXPORT(RmsForwardEntry);
HWY_EXPORT(LayerBackwardEntry);
HWY_EXPORT(RmsBackwardEntry);

std::size_t grain_rows(std::size_t columns) {
  return std::max<std::size_t>(1, kElementwiseGrain / std::max<std::size_t>(1, columns));
}

// Calls rows_of(part of norm, begin, end) on equal parts of the rows, one per thread. The first
// part adds to dgain and dbias themselves, each other one to sums of its own, which are added in
// order at the end.
template <typename T, typename RowsOf>
void backward_by_parts(const NormBackward<T>& norm, RowsOf rows_of) {
  const std::size_t n = norm.columns;
  if (norm.dgain != nullptr) std::fill_n(norm.dgain, n, T{0});
  if (norm.dbias != nullptr) std::fill_n(norm.dbias, n, T{0});
  const std::size_t parts = std::clamp<std::size_t>(norm.rows / grain_rows(n), 1, threads());
  // Grows to the largest layer once and is then reused: a steady training step does not allocate.
  thread_local std::vector<T> own_sums;
  own_sums.assign((parts - 1) * 2 * n, T{0});
  T* const sums = own_sums.data();
  parallel_for(parts, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t part = first; part < last; ++part) {
      NormBackward<T> mine = norm;
      if (part > 0) {
        if (norm.dgain != nullptr) mine.dgain = sums + (2 * part - 2) * n;
        if (norm.dbias != nullptr) mine.dbias = sums + (2 * part - 1) * n;
      }
      rows_of(mine, norm.rows * part / parts, norm.rows * (part + 1) / parts);
    }
  });
  for (std::size_t part = 1; part < parts; ++part) {
    const T* const part_dgain = sums + (2 * part - 2) * n;
    const T* const part_dbias = sums + (2 * part - 1) * n;
    for (std::size_t i = 0; norm.dgain != nullptr && i < n; ++i) norm.dgain[i] += part_dgain[i];
    for (std::size_t i = 0; norm.dbias != nullptr && i < n; ++i) norm.dbias[i] += part_dbias[i];
  }
}

}  // namespace

template <typename T>
void layer_norm(const NormForward<T>& norm) noexcept {
  parallel_for(norm.rows, grain_rows(norm.columns), [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(LayerForwardEntry)(norm, begin, end);
  });
}

template <typename T>
void rms_norm(const NormForward<T>& norm) noexcept {
  parallel_for(norm.rows, grain_rows(norm.columns), [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(RmsForwardEntry)(norm, begin, end);
  });
}

template <typename T>
void layer_norm_backward(const NormBackward<T>& norm) noexcept {
  backward_by_parts(norm, [](const NormBackward<T>& part, std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(LayerBackwardEntry)(part, begin, end);
  });
}

template <typename T>
void rms_norm_backward(const NormBackward<T>& norm) noexcept {
  NormBackward<T> without_bias = norm;
  without_bias.dbias = nullptr;
  backward_by_parts(without_bias,
                    [](const NormBackward<T>& part, std::size_t begin, std::size_t end) {
                      HWY_DYNAMIC_DISPATCH(RmsBackwardEntry)(part, begin, end);
                    });
}

template void layer_norm(const NormForward<Scalar>&) noexcept;
template void layer_norm_backward(const NormBackward<Scalar>&) noexcept;
template void rms_norm(const NormForward<Scalar>&) noexcept;
template void rms_norm_backward(const NormBackward<Scalar>&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
