// SPDX-License-Identifier: Apache-2.0
// What the fused attention kernels are made of: the register tile with either operand order, exp2,
// masks on panels; included once per CPU target (see highway.h).
#if defined(HEED_KERNELS_ATTENTION_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_TILES_INL_H_
#undef HEED_KERNELS_ATTENTION_TILES_INL_H_
#else
#define HEED_KERNELS_ATTENTION_TILES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "heed/kernels/attention/attention_plan.h"
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/products/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A width filled up to whole vectors.
template <typename T>
constexpr std::size_t PaddedWidth(std::size_t width) {
  return RoundUp(width, LaneCount<T>());
}

// How an operand is broadcast: element (r, p) of A at a[r * stride + p], or, transposed for free,
// at a[p * stride + r].
enum class Left { rows, columns };

// Where a product goes: c[r] = scale * product (+ keep[r] * c[r] unless keep is null); with
// row_scale it is row_scale[r] * product.
template <typename T>
struct ProductOutput {
  T* c;
  std::size_t ldc;
  const T* keep;
  T scale;
  const T* row_scale = nullptr;
};

// Without it g++ 12 keeps the sums of the tile in memory, at a third of the speed.
#define HEED_UNROLL _Pragma("GCC unroll 8")

// C [kR, kV vectors] = A [kR, k] B [k, kV vectors]; the rows of B lie b_stride apart. Unrolling
// over k makes g++ 12 read B from memory at each use: 60 GFLOP/s by four, 84 by one.
template <typename T, Left kLeft, std::size_t kR, std::size_t kV>
HWY_NOINLINE void OuterProduct(std::size_t k, const T* HWY_RESTRICT a, std::size_t a_stride,
                               const T* HWY_RESTRICT b, std::size_t b_stride,
                               const ProductOutput<T>& out) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kL = LaneCount<T>();
  V sums[kR][kV];
  HEED_UNROLL for (std::size_t r = 0; r < kR; ++r) {
    HEED_UNROLL for (std::size_t v = 0; v < kV; ++v) sums[r][v] = hn::Zero(d);
  }
  for (; k > 0; --k) {
    V right[kV];
    HEED_UNROLL for (std::size_t v = 0; v < kV; ++v) right[v] = hn::LoadU(d, b + v * kL);
    HEED_UNROLL for (std::size_t r = 0; r < kR; ++r) {
      const V left = hn::Set(d, kLeft == Left::rows ? a[r * a_stride] : a[r]);
      HEED_UNROLL for (std::size_t v = 0; v < kV; ++v) {
        sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
      }
    }
    a += kLeft == Left::rows ? 1 : a_stride;
    b += b_stride;
  }
  const auto store = [&](const auto& finish) HWY_ATTR {
    HEED_UNROLL for (std::size_t r = 0; r < kR; ++r) {
      T* HWY_RESTRICT c = out.c + r * out.ldc;
      HEED_UNROLL for (std::size_t v = 0; v < kV; ++v) {
        hn::StoreU(finish(sums[r][v], r, c + v * kL), d, c + v * kL);
      }
    }
  };
  const V scale = hn::Set(d, out.scale);
  if (out.keep != nullptr) {
    store([&](V sum, std::size_t r, const T* c) HWY_ATTR {
      return hn::MulAdd(hn::Set(d, out.keep[r]), hn::LoadU(d, c), hn::Mul(scale, sum));
    });
  } else if (out.row_scale != nullptr) {
    store([&](V sum, std::size_t r, const T*)
              HWY_ATTR { return hn::Mul(hn::Set(d, out.row_scale[r]), sum); });
  } else {
    store([&](V sum, std::size_t, const T*) HWY_ATTR { return hn::Mul(scale, sum); });
  }
}

template <typename T>
using Product = void (*)(std::size_t, const T*, std::size_t, const T*, std::size_t,
                         const ProductOutput<T>&);

// The tile for `rows` <= kRows rows and `vectors` <= kVectors vectors.
template <typename T, Left kLeft, std::size_t kV>
Product<T> ProductOfRows(std::size_t rows) {
  switch (rows) {
    case 1:
      return OuterProduct<T, kLeft, 1, kV>;
    case 2:
      return OuterProduct<T, kLeft, 2, kV>;
    case 3:
      return OuterProduct<T, kLeft, 3, kV>;
    case 4:
      return OuterProduct<T, kLeft, 4, kV>;
    case 5:
      return OuterProduct<T, kLeft, 5, kV>;
    default:
      return OuterProduct<T, kLeft, 6, kV>;
  }
}

template <typename T, Left kLeft>
Product<T> ProductOf(std::size_t rows, std::size_t vectors) {
  if constexpr (kVectors == 4) {
    if (vectors == 3) return ProductOfRows<T, kLeft, 3>(rows);
    if (vectors == 4) return ProductOfRows<T, kLeft, 4>(rows);
  }
  return vectors == 1 ? ProductOfRows<T, kLeft, 1>(rows) : ProductOfRows<T, kLeft, 2>(rows);
}

// C [rows, width] = A B by panels of columns: panel j of B starts at b + j * b_panel.
template <typename T, Left kLeft>
HWY_INLINE void StripProduct(std::size_t rows, std::size_t width, std::size_t k, const T* a,
                             std::size_t a_stride, const T* b, std::size_t b_panel,
                             std::size_t b_stride, ProductOutput<T> out) {
  for (std::size_t j = 0; j < width; j += kColumns<T>) {
    const std::size_t rest = width - j < kColumns<T> ? width - j : kColumns<T>;
    ProductOf<T, kLeft>(rows, rest / LaneCount<T>())(k, a, a_stride, b, b_stride, out);
    b += b_panel;
    out.c += kColumns<T>;
  }
}

// 2^r on |r| <= 1/2, relative error 7.5e-8 and 3e-18: Remez fits in 40 digits.
template <typename T>
struct Exp2Constants;
template <>
struct Exp2Constants<float> {
  static constexpr float kC[] = {1.0000000716547142f,    0.6931469670650352f,
                                 0.24022119723710719f,   0.055507132718556444f,
                                 0.0096755413431213275f, 0.0013276472631950876f};
};
template <>
struct Exp2Constants<double> {
  static constexpr double kC[] = {1.0,
                                  0.69314718055994529,
                                  0.24022650695910155,
                                  0.055504108664819925,
                                  0.0096181291075883354,
                                  0.0013333558146789923,
                                  0.00015403530462514432,
                                  1.5252733489988525e-05,
                                  1.32154330896764e-06,
                                  1.0178198021671931e-07,
                                  7.0741056135081431e-09,
                                  4.4352827069572772e-10};
};

// 2^x for x <= the largest exponent; exactly 0 from -bias (-127, -1023) on, -infinity included.
template <class D, class V>
HWY_INLINE V Exp2(D d, V x) {
  using T = hn::TFromD<D>;
  using Constants = ExpConstants<T>;
  const hn::RebindToSigned<D> di;
  x = AtLeast(hn::Set(d, static_cast<T>(-Constants::kBias)), x);
  const V rounder = hn::Set(d, Constants::kRounder + static_cast<T>(Constants::kBias));
  const V rounded = hn::Add(x, rounder);
  const V r = hn::Sub(x, hn::Sub(rounded, rounder));
  return hn::Mul(PowerOfTwo(d, hn::BitCast(di, rounded)), Polynomial(d, r, Exp2Constants<T>::kC));
}

// The lanes of a masked panel's vector v that row r may see.
template <typename T, class D>
HWY_INLINE hn::Mask<D> Seen(D d, const MaskedPanel& panel, std::size_t r, std::size_t v) {
  constexpr std::size_t kL = LaneCount<T>();
  const std::uint64_t bits = panel.words[r] >> (panel.shift + v * kL);
#if HWY_TARGET == HWY_SCALAR
  return hn::FirstN(d, bits & 1);
#else
  return hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&bits));
#endif
}

// `rows` rows of `width` items, scaled, into rows `to_stride` apart; zeros fill them up.
template <typename T>
HWY_INLINE void CopyRows(std::size_t rows, std::size_t width, const T* from,
                         std::size_t from_stride, T scale, T* to, std::size_t to_stride) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kL = LaneCount<T>();
  const auto factor = hn::Set(d, scale);
  const std::size_t whole = width / kL * kL;
  for (std::size_t r = 0; r < rows; ++r) {
    const T* HWY_RESTRICT x = from + r * from_stride;
    T* HWY_RESTRICT y = to + r * to_stride;
    for (std::size_t i = 0; i < whole; i += kL) {
      hn::StoreU(hn::Mul(factor, hn::LoadU(d, x + i)), d, y + i);
    }
    for (std::size_t i = whole; i < to_stride; ++i) y[i] = i < width ? scale * x[i] : T{0};
  }
}

// to = factor * from, `width` items; returns whether all of them are finite.
template <typename T>
HWY_INLINE bool WriteRow(std::size_t width, T factor, const T* HWY_RESTRICT from,
                         T* HWY_RESTRICT to) {
  const hn::ScalableTag<T> d;
  const auto by = hn::Set(d, factor);
  auto spoilt = hn::Zero(d);
  Sweep(d, 0, width, [&](std::size_t i, auto lanes) HWY_ATTR {
    const auto x = hn::Mul(by, lanes.load(d, from + i));
    spoilt = hn::Add(spoilt, hn::Sub(x, x));  // 0, or NaN for NaN and infinity
    lanes.store(x, d, to + i);
  });
  return hn::GetLane(hn::SumOfLanes(d, spoilt)) == 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_ATTENTION_TILES_INL_H_
