// SPDX-License-Identifier: Apache-2.0
// Transcendental functions on Highway vectors, float and double, compiled once per CPU target.
//
// Include after heed/kernels/highway.h. Every function is branch-free, propagates NaN and keeps to
// the error stated beside it, in ulp over the whole range, with and without fused multiply-add.
// The polynomials are minimax fits (Remez exchange in 50 digits), weighted so that the error is
// relative to the function's value.
#if defined(HEED_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_MATH_INL_H_
#undef HEED_KERNELS_MATH_INL_H_
#else
#define HEED_KERNELS_MATH_INL_H_
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// c[0] + c[1] x + ... by Horner's rule.
template <class D, class V, std::size_t N>
HWY_INLINE V Polynomial(D d, V x, const hn::TFromD<D> (&c)[N]) {
  V y = hn::Set(d, c[N - 1]);
  for (std::size_t i = N - 1; i > 0; --i) y = hn::MulAdd(y, x, hn::Set(d, c[i - 1]));
  return y;
}

// The smaller and the larger of the two, NaN where x is NaN. On x86 the instructions return their
// second operand when either is NaN; elsewhere Highway returns the number.
template <class V>
HWY_INLINE V AtMost(V limit, V x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
  return hn::Min(limit, x);
#else
  return hn::IfThenElse(hn::Lt(limit, x), limit, x);
#endif
}
template <class V>
HWY_INLINE V AtLeast(V limit, V x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
  return hn::Max(limit, x);
#else
  return hn::IfThenElse(hn::Lt(x, limit), limit, x);
#endif
}

// Constants of exp: x = n ln2 + r, |r| <= ln2 / 2; exp(r) = 1 + r + r^2 q(r). The high part of ln2
// has so few bits that n * kLn2High is exact without fused multiply-add.
template <typename T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr std::int32_t kOneBits = 0x3F800000;
  // Adding it leaves round(v) in the low bits of the mantissa.
  static constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23
  static constexpr float kLog2E = 1.44269504f;
  static constexpr float kLn2High = 0.693359375f;
  static constexpr float kLn2Low = -2.12194440e-4f;
  // Beyond these the result is 0 or infinity.
  static constexpr float kLowest = -104.0f;
  static constexpr float kHighest = 89.0f;
  // The last x whose exp is not subnormal.
  static constexpr float kLowestNormal = -87.3365448f;
  // tanh is 1 from here on, to the last bit.
  static constexpr float kTanhOne = 9.02f;
  static constexpr float kQ[] = {0.49999993433718908476f, 0.16666520401933948071f,
                                 0.041668390317094210027f, 0.0083687449621392748793f,
                                 0.001381456887726864462f};
};
template <>
struct ExpConstants<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr std::int64_t kOneBits = 0x3FF0000000000000;
  static constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kLog2E = 1.4426950408889634;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1;
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLowest = -746.0;
  static constexpr double kHighest = 710.0;
  static constexpr double kLowestNormal = -708.39641853226408;
  static constexpr double kTanhOne = 19.1;
  static constexpr double kQ[] = {0.50000000000000106334,    0.16666666666666408864,
                                  0.041666666666529963051,   0.0083333333334967108248,
                                  0.0013888888943712754734,  0.00019841269502165993101,
                                  0.00002480149298674994813, 2.7557589828577083249e-6,
                                  2.7630296244306790673e-7,  2.4999128234981907494e-8};
};

// 2^n for whole n, given bits whose low part holds n.
template <class D, class VI>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, VI n) {
  using Constants = ExpConstants<hn::TFromD<D>>;
  const hn::RebindToSigned<D> di;
  const VI exponent = hn::ShiftLeft<Constants::kMantissaBits>(n);
  return hn::BitCast(d, hn::Add(exponent, hn::Set(di, Constants::kOneBits)));
}

// Splits x into n ln2 + r; rounded holds n in its low bits, expm1 gets exp(r) - 1.
template <class D, class V>
HWY_INLINE void ReduceExp(D d, V x, V& rounded, V& expm1) {
  using Constants = ExpConstants<hn::TFromD<D>>;
  const V rounder = hn::Set(d, Constants::kRounder);
  rounded = hn::MulAdd(x, hn::Set(d, Constants::kLog2E), rounder);
  const V n = hn::Sub(rounded, rounder);
  V r = hn::NegMulAdd(n, hn::Set(d, Constants::kLn2High), x);
  r = hn::NegMulAdd(n, hn::Set(d, Constants::kLn2Low), r);
  expm1 = hn::MulAdd(hn::Mul(r, r), Polynomial(d, r, Constants::kQ), r);
}

// exp within 1 ulp for every x, subnormal results included: 2^n is applied in two halves, so that
// neither leaves the range of exponents.
template <class D, class V>
HWY_INLINE V Exp(D d, V x) {
  using T = hn::TFromD<D>;
  using Constants = ExpConstants<T>;
  const hn::RebindToSigned<D> di;
  x = AtLeast(hn::Set(d, Constants::kLowest), AtMost(hn::Set(d, Constants::kHighest), x));
  V rounded, expm1;
  ReduceExp(d, x, rounded, expm1);
  const V rounder = hn::Set(d, Constants::kRounder);
  const V half = hn::MulAdd(hn::Sub(rounded, rounder), hn::Set(d, T{0.5}), rounder);
  const auto first = hn::BitCast(di, half);
  const auto second = hn::Sub(hn::BitCast(di, rounded), first);
  const V exp = hn::Add(expm1, hn::Set(d, T{1}));
  return hn::Mul(hn::Mul(exp, PowerOfTwo(d, first)), PowerOfTwo(d, second));
}

// exp within 1 ulp for x <= 0, a third cheaper: results below the smallest normal number are 0.
template <class D, class V>
HWY_INLINE V ExpNonPositive(D d, V x) {
  using T = hn::TFromD<D>;
  using Constants = ExpConstants<T>;
  const hn::RebindToSigned<D> di;
  const V lowest = hn::Set(d, Constants::kLowestNormal);
  V rounded, expm1;
  ReduceExp(d, AtLeast(lowest, x), rounded, expm1);
  const V exp = hn::Mul(hn::Add(expm1, hn::Set(d, T{1})), PowerOfTwo(d, hn::BitCast(di, rounded)));
  return hn::IfThenZeroElse(hn::Lt(x, lowest), exp);
}

// tanh within 2.5 ulp: (e - 1) / (e + 1) with e - 1 = exp(2|x|) - 1 computed without cancellation,
// so that it stays exact to the last bits near 0.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  using T = hn::TFromD<D>;
  using Constants = ExpConstants<T>;
  const hn::RebindToSigned<D> di;
  const V bounded = AtMost(hn::Set(d, Constants::kTanhOne), hn::Abs(x));
  V rounded, expm1;
  ReduceExp(d, hn::Add(bounded, bounded), rounded, expm1);
  const V power = PowerOfTwo(d, hn::BitCast(di, rounded));
  const V minus_one = hn::MulAdd(power, expm1, hn::Sub(power, hn::Set(d, T{1})));
  const V y = hn::Div(minus_one, hn::Add(minus_one, hn::Set(d, T{2})));
  return hn::CopySignToAbs(y, x);
}

// 1 / (1 + exp(-x)) within 2.5 ulp, as e / (1 + e) for negative x, e = exp(-|x|).
template <class D, class V>
HWY_INLINE V Sigmoid(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  const V e = Exp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// The same for the gates of recurrent cells, cheaper: results below the smallest normal number are
// 0.
template <class D, class V>
HWY_INLINE V SigmoidNormal(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  const V e = ExpNonPositive(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_MATH_INL_H_
