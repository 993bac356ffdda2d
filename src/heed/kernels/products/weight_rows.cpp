// SPDX-License-Identifier: Apache-2.0
// Four rows of the weight at a time, so that one load of x serves four multiply-adds.
#include "heed/kernels/products/weight_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "heed/base/half.h"
#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/products/weight_rows.cpp"
#include "heed/kernels/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> LoadWeights(D d, const hn::TFromD<D>* from) {
  return hn::LoadU(d, from);
}

// bfloat16 is the upper half of a float.
template <class D>
HWY_INLINE hn::Vec<D> LoadWeights(D d, const std::uint16_t* from) {
  const hn::Rebind<std::uint16_t, D> halves;
  const hn::Rebind<std::uint32_t, D> bits;
  const hn::Rebind<float, D> floats;
  const auto values =
      hn::BitCast(floats, hn::ShiftLeft<16>(hn::PromoteTo(bits, hn::LoadU(halves, from))));
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    return values;
  } else {
    return hn::PromoteTo(d, values);
  }
}

template <class D>
HWY_INLINE hn::Vec<D> LoadWeights(D d, const std::int8_t* from) {
  const hn::Rebind<std::int8_t, D> bytes;
  const hn::Rebind<std::int32_t, D> wholes;
  const auto values = hn::PromoteTo(wholes, hn::LoadU(bytes, from));
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    return hn::ConvertTo(d, values);
  } else {
    return hn::PromoteTo(d, values);
  }
}

template <typename T>
HWY_INLINE T Value(T stored) {
  return stored;
}
template <typename T>
HWY_INLINE T Value(std::uint16_t stored) {
  return static_cast<T>(bf16_to_float(stored));
}
template <typename T>
HWY_INLINE T Value(std::int8_t stored) {
  return static_cast<T>(stored);
}

// sums[r] = x . w[r] for the rows r of w, kRows of them, k apart.
template <std::size_t kRows, typename T, typename Stored>
HWY_INLINE void DotRows(const T* HWY_RESTRICT x, const Stored* HWY_RESTRICT w, std::size_t k,
                        T* HWY_RESTRICT sums) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;  // arrays of vectors are not for every target
  std::size_t i = 0;
  for (; i + lanes <= k; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    s0 = hn::MulAdd(v, LoadWeights(d, w + i), s0);
    if constexpr (kRows == 4) {
      s1 = hn::MulAdd(v, LoadWeights(d, w + k + i), s1);
      s2 = hn::MulAdd(v, LoadWeights(d, w + 2 * k + i), s2);
      s3 = hn::MulAdd(v, LoadWeights(d, w + 3 * k + i), s3);
    }
  }
  sums[0] = hn::GetLane(hn::SumOfLanes(d, s0));
  if constexpr (kRows == 4) {
    sums[1] = hn::GetLane(hn::SumOfLanes(d, s1));
    sums[2] = hn::GetLane(hn::SumOfLanes(d, s2));
    sums[3] = hn::GetLane(hn::SumOfLanes(d, s3));
  }
  for (; i < k; ++i) {
    for (std::size_t r = 0; r < kRows; ++r) sums[r] += x[i] * Value<T>(w[r * k + i]);
  }
}

// Columns begin to end of y [m,n].
template <typename T, typename Stored>
void RowsOf(const T* x, std::size_t m, const WeightRows<T>& w, const Stored* stored, const T* bias,
            T* y, std::size_t begin, std::size_t end) {
  const auto put = [&](std::size_t row, std::size_t column, T sum) {
    if (w.scales != nullptr) sum *= w.scales[column];
    y[row * w.n + column] = bias == nullptr ? sum : sum + bias[column];
  };
  std::size_t column = begin;
  std::array<T, 4> sums;
  for (; column + 4 <= end; column += 4) {
    for (std::size_t row = 0; row < m; ++row) {
      DotRows<4>(x + row * w.k, stored + column * w.k, w.k, sums.data());
      for (std::size_t r = 0; r < 4; ++r) put(row, column + r, sums[r]);
    }
  }
  for (; column < end; ++column) {
    for (std::size_t row = 0; row < m; ++row) {
      DotRows<1>(x + row * w.k, stored + column * w.k, w.k, sums.data());
      put(row, column, sums[0]);
    }
  }
}

void ScalarWeightRows(const Scalar* x, std::size_t m, const WeightRows<Scalar>& w,
                      const Scalar* bias, Scalar* y, std::size_t begin, std::size_t end) {
  if (w.values != nullptr) {
    RowsOf(x, m, w, w.values, bias, y, begin, end);
  } else if (w.bf16 != nullptr) {
    RowsOf(x, m, w, w.bf16, bias, y, begin, end);
  } else {
    RowsOf(x, m, w, w.whole, bias, y, begin, end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace heed::kernels {
namespace {

HWY_EXPORT(ScalarWeightRows);

// Multiply-adds for which a thread is worth waking.
constexpr std::size_t kGrain = std::size_t{1} << 17;

}  // namespace

template <typename T>
void weight_rows(const T* x, std::size_t m, const WeightRows<T>& w, const T* bias, T* y) noexcept {
  if (m == 0 || w.n == 0) return;
  const std::size_t grain = kGrain / std::max<std::size_t>(1, m * w.k) + 4;
  parallel_for(w.n, grain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(ScalarWeightRows)(x, m, w, bias, y, begin, end);
  });
}

template <typename T>
void round_to_bf16(const T* w, std::size_t count, std::uint16_t* bf16) noexcept {
  parallel_for(count, kElementwiseGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) bf16[i] = float_to_bf16(static_cast<float>(w[i]));
  });
}

template <typename T>
void round_to_whole(const T* w, std::size_t n, std::size_t k, std::int8_t* whole,
                    T* scales) noexcept {
  const std::size_t grain = kElementwiseGrain / std::max<std::size_t>(1, k) + 1;
  parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const T* const from = w + row * k;
      std::int8_t* const to = whole + row * k;
      T most = 0;
      for (std::size_t i = 0; i < k; ++i) most = std::max(most, std::abs(from[i]));
      scales[row] = most / 127;
      const T factor = most > 0 ? 127 / most : T{0};
      for (std::size_t i = 0; i < k; ++i) {
        // The largest may be 127 and a rounding error.
        const T scaled = std::clamp(std::nearbyint(from[i] * factor), T{-127}, T{127});
        to[i] = static_cast<std::int8_t>(scaled);
      }
    }
  });
}

template <typename T>
void values_of(const WeightRows<T>& w, T* values) noexcept {
  const std::size_t grain = kElementwiseGrain / std::max<std::size_t>(1, w.k) + 1;
  parallel_for(w.n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * w.k; i < end * w.k; ++i) {
      values[i] = w.values != nullptr ? w.values[i]
                  : w.bf16 != nullptr ? static_cast<T>(bf16_to_float(w.bf16[i]))
                                      : static_cast<T>(w.whole[i]) * w.scales[i / w.k];
    }
  });
}

template void weight_rows(const Scalar*, std::size_t, const WeightRows<Scalar>&, const Scalar*,
                          Scalar*) noexcept;
template void round_to_bf16(const Scalar*, std::size_t, std::uint16_t*) noexcept;
template void round_to_whole(const Scalar*, std::size_t, std::size_t, std::int8_t*,
                             Scalar*) noexcept;
template void values_of(const WeightRows<Scalar>&, Scalar*) noexcept;

}  // namespace heed::kernels

#endif  // HWY_ONCE
