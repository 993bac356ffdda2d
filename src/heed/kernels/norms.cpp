// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm: one row at a time, read from memory once and from the first cache after.
#include "heed/kernels/norms.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "heed/base/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/norms.cpp"
#include "heed/kernels/highway.h"
// After highway.h, which sets the target that this header is compiled for.
#include "heed/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

enum class Kind { layer, rms };

// The mean is taken off before squaring: E[x^2] - E[x]^2 would cancel for rows far from zero.
template <Kind kKind, typename T>
HWY_INLINE void forward_rows(const NormForward<T>& norm, std::size_t begin, std::size_t end) {
  const hn::ScalableTag<T> d;
  const std::size_t n = norm.columns;
  const T* const gain = norm.gain;
  const T* const bias = kKind == Kind::layer ? norm.bias : nullptr;
  for (std::size_t row = begin; row < end; ++row) {
    const T* const x = norm.x + row * n;
    T* const y = norm.y + row * n;
    T mean = 0;
    if constexpr (kKind == Kind::layer) {
      mean = sum_over(d, n, [=](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
        sum = hn::Add(sum, lanes.load(d, x + i));
      });
      mean /= static_cast<T>(n);
      if (norm.mean != nullptr) norm.mean[row] = mean;
    }
    const auto centre = hn::Set(d, mean);
    const T squares = sum_over(d, n, [=](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
      const auto deviation = lanes.inside(d, hn::Sub(lanes.load(d, x + i), centre));
      sum = hn::MulAdd(deviation, deviation, sum);
    });
    const T inverse = 1 / std::sqrt(squares / static_cast<T>(n) + norm.epsilon);
    if (norm.inverse_deviation != nullptr) norm.inverse_deviation[row] = inverse;
    const auto factor = hn::Set(d, inverse);
    sweep(d, 0, n, [=](std::size_t i, auto lanes) HWY_ATTR {
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
template <Kind kKind, typename T>
HWY_INLINE void backward_rows(const NormBackward<T>& norm, std::size_t begin, std::size_t end) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t n = norm.columns;
  const T* const gain = norm.gain;
  T* const dgain = norm.dgain;
  T* const dbias = kKind == Kind::layer ? norm.dbias : nullptr;
  for (std::size_t row = begin; row < end; ++row) {
    const T* const x = norm.x + row * n;
    const T* const dy = norm.dy + row * n;
    const T inverse = norm.inverse_deviation[row];
    const auto factor = hn::Set(d, inverse);
    const auto centre = hn::Set(d, kKind == Kind::layer ? norm.mean[row] : T{0});
    const auto normalised = [=](std::size_t i, auto lanes) HWY_ATTR {
      return hn::Mul(hn::Sub(lanes.load(d, x + i), centre), factor);
    };
    const auto gained = [=](V v, std::size_t i, auto lanes) HWY_ATTR {
      return gain == nullptr ? v : hn::Mul(v, lanes.load(d, gain + i));
    };
    T* const dx = norm.dx == nullptr ? nullptr : norm.dx + row * n;
    auto shift = hn::Zero(d);
    auto slope = hn::Zero(d);
    if (dx != nullptr) {
      if constexpr (kKind == Kind::layer) {
        const T sum_g = sum_over(d, n, [=](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
          sum = hn::Add(sum, gained(lanes.load(d, dy + i), i, lanes));
        });
        shift = hn::Set(d, sum_g / static_cast<T>(n));
      }
      const T product = sum_over(d, n, [=](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
        sum = hn::MulAdd(gained(lanes.load(d, dy + i), i, lanes), normalised(i, lanes), sum);
      });
      slope = hn::Set(d, product / static_cast<T>(n));
    }
    sweep(d, 0, n, [=](std::size_t i, auto lanes) HWY_ATTR {
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

void layer_forward_float(const NormForward<float>& norm, std::size_t begin, std::size_t end) {
  forward_rows<Kind::layer>(norm, begin, end);
}
void layer_forward_double(const NormForward<double>& norm, std::size_t begin, std::size_t end) {
  forward_rows<Kind::layer>(norm, begin, end);
}
void rms_forward_float(const NormForward<float>& norm, std::size_t begin, std::size_t end) {
  forward_rows<Kind::rms>(norm, begin, end);
}
void rms_forward_double(const NormForward<double>& norm, std::size_t begin, std::size_t end) {
  forward_rows<Kind::rms>(norm, begin, end);
}
void layer_backward_float(const NormBackward<float>& norm, std::size_t begin, std::size_t end) {
  backward_rows<Kind::layer>(norm, begin, end);
}
void layer_backward_double(const NormBackward<double>& norm, std::size_t begin, std::size_t end) {
  backward_rows<Kind::layer>(norm, begin, end);
}
void rms_backward_float(const NormBackward<float>& norm, std::size_t begin, std::size_t end) {
  backward_rows<Kind::rms>(norm, begin, end);
}
void rms_backward_double(const NormBackward<double>& norm, std::size_t begin, std::size_t end) {
  backward_rows<Kind::rms>(norm, begin, end);
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(layer_forward_float);
HWY_EXPORT(layer_forward_double);
HWY_EXPORT(rms_forward_float);
HWY_EXPORT(rms_forward_double);
HWY_EXPORT(layer_backward_float);
HWY_EXPORT(layer_backward_double);
HWY_EXPORT(rms_backward_float);
HWY_EXPORT(rms_backward_double);

template <typename T>
constexpr bool is_float = std::is_same_v<T, float>;

// Elements below which a second thread does not pay.
constexpr std::size_t kGrain = 32768;

std::size_t grain_rows(std::size_t columns) {
  return std::max<std::size_t>(1, kGrain / std::max<std::size_t>(1, columns));
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
    if constexpr (is_float<T>) {
      HWY_DYNAMIC_DISPATCH(layer_forward_float)(norm, begin, end);
    } else {
      HWY_DYNAMIC_DISPATCH(layer_forward_double)(norm, begin, end);
    }
  });
}

template <typename T>
void rms_norm(const NormForward<T>& norm) noexcept {
  parallel_for(norm.rows, grain_rows(norm.columns), [&](std::size_t begin, std::size_t end) {
    if constexpr (is_float<T>) {
      HWY_DYNAMIC_DISPATCH(rms_forward_float)(norm, begin, end);
    } else {
      HWY_DYNAMIC_DISPATCH(rms_forward_double)(norm, begin, end);
    }
  });
}

template <typename T>
void layer_norm_backward(const NormBackward<T>& norm) noexcept {
  backward_by_parts(norm, [](const NormBackward<T>& part, std::size_t begin, std::size_t end) {
    if constexpr (is_float<T>) {
      HWY_DYNAMIC_DISPATCH(layer_backward_float)(part, begin, end);
    } else {
      HWY_DYNAMIC_DISPATCH(layer_backward_double)(part, begin, end);
    }
  });
}

template <typename T>
void rms_norm_backward(const NormBackward<T>& norm) noexcept {
  NormBackward<T> without_bias = norm;
  without_bias.dbias = nullptr;
  backward_by_parts(without_bias,
                    [](const NormBackward<T>& part, std::size_t begin, std::size_t end) {
                      if constexpr (is_float<T>) {
                        HWY_DYNAMIC_DISPATCH(rms_backward_float)(part, begin, end);
                      } else {
                        HWY_DYNAMIC_DISPATCH(rms_backward_double)(part, begin, end);
                      }
                    });
}

template void layer_norm(const NormForward<float>&) noexcept;
template void layer_norm(const NormForward<double>&) noexcept;
template void layer_norm_backward(const NormBackward<float>&) noexcept;
template void layer_norm_backward(const NormBackward<double>&) noexcept;
template void rms_norm(const NormForward<float>&) noexcept;
template void rms_norm(const NormForward<double>&) noexcept;
template void rms_norm_backward(const NormBackward<float>&) noexcept;
template void rms_norm_backward(const NormBackward<double>&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
