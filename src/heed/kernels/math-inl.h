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
  static constexpr int kBias = 127;
  // Adding it leaves round(v) in the low bits of the mantissa.
  static constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23
  static constexpr float kLog2E = 1.44269504f;
  static constexpr float kLn2High = 0.693359375f;
  static constexpr float kLn2Low = -2.12194440e-4f;
  // Beyond these the result is 0 or infinity.
  static constexpr float kLowest = -104.0f;
  static constexpr float kHighest = 89.0f;
  // n is -bias here, which gives 2^n the bits of 0.
  static constexpr float kZero = -88.029692f;
  // tanh is 1 from here on, to the last bit.
  static constexpr float kTanhOne = 9.02f;
  static constexpr float kQ[] = {0.49999993433718908476f, 0.16666520401933948071f,
                                 0.041668390317094210027f, 0.0083687449621392748793f,
                                 0.001381456887726864462f};
};
template <>
struct ExpConstants<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr int kBias = 1023;
  static constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kLog2E = 1.4426950408889634;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1;
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLowest = -746.0;
  static constexpr double kHighest = 710.0;
  static constexpr double kZero = -709.08956571282405;
  static constexpr double kTanhOne = 19.1;
  static constexpr double kQ[] = {0.50000000000000106334,    0.16666666666666408864,
                                  0.041666666666529963051,   0.0083333333334967108248,
                                  0.0013888888943712754734,  0.00019841269502165993101,
                                  0.00002480149298674994813, 2.7557589828577083249e-6,
                                  2.7630296244306790673e-7,  2.4999128234981907494e-8};
};

// Splits x into n ln2 + r: the low bits of `rounded` hold n + bias, expm1 gets exp(r) - 1.
template <class D, class V>
HWY_INLINE void ReduceExp(D d, V x, int bias, V& rounded, V& expm1) {
  using T = hn::TFromD<D>;
  using Constants = ExpConstants<T>;
  const V rounder = hn::Set(d, Constants::kRounder + static_cast<T>(bias));
  rounded = hn::MulAdd(x, hn::Set(d, Constants::kLog2E), rounder);
  const V n = hn::Sub(rounded, rounder);
  V r = hn::NegMulAdd(n, hn::Set(d, Constants::kLn2High), x);
  r = hn::NegMulAdd(n, hn::Set(d, Constants::kLn2Low), r);
  expm1 = hn::MulAdd(hn::Mul(r, r), Polynomial(d, r, Constants::kQ), r);
}

// 2^n where the low bits of `biased` hold n + kBias; 0 where they are 0.
template <class D, class VI>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, VI biased) {
  return hn::BitCast(d, hn::ShiftLeft<ExpConstants<hn::TFromD<D>>::kMantissaBits>(biased));
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
  ReduceExp(d, x, 2 * Constants::kBias, rounded, expm1);
  // rounded holds n + 2 bias; half of it and the rest are n/2 + bias each.
  const V unit = hn::Set(d, Constants::kRounder);
  const V half = hn::MulAdd(hn::Sub(rounded, unit), hn::Set(d, T{0.5}), unit);
  const V first = PowerOfTwo(d, hn::BitCast(di, half));
  const V second = PowerOfTwo(d, hn::Sub(hn::BitCast(di, rounded), hn::BitCast(di, half)));
  return hn::Mul(hn::MulAdd(first, expm1, first), second);
}

// exp within 1 ulp for x <= 0, a third cheaper: where exp(x) is below the smallest normal number
// the result may be 0.
template <class D, class V>
HWY_INLINE V ExpNonPositive(D d, V x) {
  using Constants = ExpConstants<hn::TFromD<D>>;
  const hn::RebindToSigned<D> di;
  V rounded, expm1;
  ReduceExp(d, AtLeast(hn::Set(d, Constants::kZero), x), Constants::kBias, rounded, expm1);
  const V power = PowerOfTwo(d, hn::BitCast(di, rounded));
  return hn::MulAdd(power, expm1, power);
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
  ReduceExp(d, hn::Add(bounded, bounded), Constants::kBias, rounded, expm1);
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

// The sigmoid s and its derivative s (1 - s), the latter as e / (1 + e)^2: no digits cancel where s
// is near 1.
template <class D, class V>
HWY_INLINE V SigmoidAndSlope(D d, V x, V& slope) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  const V e = Exp(d, hn::Neg(hn::Abs(x)));
  const V larger = hn::Div(one, hn::Add(one, e));
  const V smaller = hn::Mul(e, larger);
  slope = hn::Mul(smaller, larger);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), smaller, larger);
}

// The sigmoid for the gates of recurrent cells, cheaper: results below the smallest normal number
// are 0.
template <class D, class V>
HWY_INLINE V SigmoidNormal(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  const V e = ExpNonPositive(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// Constants of log: x = 2^k m, sqrt(1/2) <= m < sqrt(2), s = (m - 1) / (m + 1), and
// log m = 2 atanh(s) = 2s + s z p(z), z = s^2. kLog uses the range of m, kLog1p that of 1 + e for
// 0 <= e <= 1.
template <typename T>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr std::uint32_t kSqrtHalfBits = 0x3F3504F3;
  static constexpr std::uint32_t kMantissaMask = 0x007FFFFF;
  static constexpr float kTwoToMantissa = 8388608.0f;  // 2^23
  static constexpr float kSmallestNormal = 0x1p-126f;
  static constexpr float kSubnormalExponent = 25.0f;
  static constexpr float kSubnormalScale = 0x1p25f;
  static constexpr float kLog[] = {0.66666777047896317607f, 0.39977450097277225897f,
                                   0.29874406518676204555f};
  static constexpr float kLog1p[] = {0.66666675614075038099f, 0.39998878313755133979f,
                                     0.28616874044695620236f, 0.21427728887754967976f,
                                     0.24300803803868311232f};
};
template <>
struct LogConstants<double> {
  static constexpr std::uint64_t kSqrtHalfBits = 0x3FE6A09E667F3BCD;
  static constexpr std::uint64_t kMantissaMask = 0x000FFFFFFFFFFFFF;
  static constexpr double kTwoToMantissa = 4503599627370496.0;  // 2^52
  static constexpr double kSmallestNormal = 0x1p-1022;
  static constexpr double kSubnormalExponent = 54.0;
  static constexpr double kSubnormalScale = 0x1p54;
  static constexpr double kLog[] = {0.66666666666667352489, 0.3999999999940836245,
                                    0.28571428743958363372, 0.22222198395278851368,
                                    0.18183574418573976262, 0.15313771475548250784,
                                    0.14798941768352919535};
  static constexpr double kLog1p[] = {0.6666666666666630382,   0.40000000000157238217,
                                      0.28571428547854191351,  0.22222223969728041063,
                                      0.18181743924582033376,  0.15386559937561877485,
                                      0.13300973328129473963,  0.12106088674475855279,
                                      0.083400897614308473186, 0.17018598615077038217};
};

// log within 1 ulp; -inf at 0, NaN below.
template <class D, class V>
HWY_INLINE V Log(D d, V x) {
  using T = hn::TFromD<D>;
  using Constants = LogConstants<T>;
  const hn::RebindToUnsigned<D> du;
  const V one = hn::Set(d, T{1});
  const auto subnormal = hn::Lt(x, hn::Set(d, Constants::kSmallestNormal));
  const V normal = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, Constants::kSubnormalScale)), x);
  // Moving sqrt(1/2) to 1 makes the exponent field k + bias and leaves m's bits below it.
  const auto origin = hn::Set(du, Constants::kSqrtHalfBits);
  const auto moved = hn::Add(hn::BitCast(du, normal), hn::Sub(hn::BitCast(du, one), origin));
  const auto exponent = hn::ShiftRight<ExpConstants<T>::kMantissaBits>(moved);
  const auto offset = hn::BitCast(du, hn::Set(d, Constants::kTwoToMantissa));
  V k = hn::Sub(hn::BitCast(d, hn::Or(exponent, offset)),
                hn::Set(d, Constants::kTwoToMantissa + ExpConstants<T>::kBias));
  k = hn::Sub(k, hn::IfThenElseZero(subnormal, hn::Set(d, Constants::kSubnormalExponent)));
  const auto mantissa = hn::And(moved, hn::Set(du, Constants::kMantissaMask));
  const V m = hn::BitCast(d, hn::Add(mantissa, origin));

  // 2s = f - s f with f = m - 1, so that f, which is exact, carries the leading digits.
  const V f = hn::Sub(m, one);
  const V s = hn::Div(f, hn::Add(m, one));
  const V z = hn::Mul(s, s);
  const V half_square = hn::Mul(hn::Set(d, T{0.5}), hn::Mul(f, f));
  const V tail = hn::MulAdd(z, Polynomial(d, z, Constants::kLog), half_square);
  const V low = hn::MulAdd(s, tail, hn::Mul(k, hn::Set(d, ExpConstants<T>::kLn2Low)));
  V y = hn::Sub(f, hn::Sub(half_square, low));
  y = hn::MulAdd(k, hn::Set(d, ExpConstants<T>::kLn2High), y);

  const V infinity = hn::Set(d, static_cast<T>(INFINITY));
  y = hn::IfThenElse(hn::Lt(x, infinity), y, x);
  y = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Set(d, static_cast<T>(NAN)), y);
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), y);
}

// log(1 + exp(x)) within 3 ulp, as max(x, 0) + log(1 + e), e = exp(-|x|).
template <class D, class V>
HWY_INLINE V Softplus(D d, V x) {
  using T = hn::TFromD<D>;
  const V e = Exp(d, hn::Neg(hn::Abs(x)));
  const V s = hn::Div(e, hn::Add(e, hn::Set(d, T{2})));
  const V z = hn::Mul(s, s);
  const V tail = hn::Mul(z, Polynomial(d, z, LogConstants<T>::kLog1p));
  const V log1p = hn::MulAdd(s, tail, hn::Add(s, s));
  return hn::Add(AtLeast(hn::Zero(d), x), log1p);
}

// Constants of erf: below kErfSplit x p(x^2); above it 1 - exp(-a^2) q(t), where
// q = exp(a^2) erfc(a) is smooth in t = (a - kCentre) / (a + kCentre) on 0 <= a <= kErfcEnd.
template <typename T>
struct ErfConstants;
template <>
struct ErfConstants<float> {
  static constexpr float kErfSplit = 0.8f;
  static constexpr float kErf[] = {1.128379163703805115f,    -0.37612601402425852554f,
                                   0.11283112916904717834f,  -0.026820809205539125986f,
                                   0.005085132215081406544f, -0.00065352345684929949638f};
  static constexpr float kCentre = 3.0f;
  static constexpr float kErfcEnd = 10.5f;
  static constexpr float kErfc[] = {
      0.17900115127673717214f,     -0.32623356382915758888f,   0.24560379625351176873f,
      -0.15011578238724762126f,    0.071665885821351505156f,   -0.024394211880249140904f,
      0.0042687664496476087145f,   0.00071558020559724444531f, -0.00059443183117110621564f,
      0.000029197187956133683476f, 0.000056052737660249969805f};
};
template <>
struct ErfConstants<double> {
  static constexpr double kErfSplit = 0.8;
  static constexpr double kErf[] = {
      1.1283791670955125703,     -0.37612638903183619578,     0.11283791670946900844,
      -0.026866170643140659148,  0.0052239776006765677791,    -0.00085483252216362524963,
      0.00012055251027516242416, -0.000014923247377143720842, 1.6416584454172067331e-6,
      -1.5824207379738960487e-7, 1.1068237589240888365e-8};
  static constexpr double kCentre = 4.0;
  static constexpr double kErfcEnd = 28.0;
  static constexpr double kErfc[] = {
      0.13699945762506138903,      -0.25906804876017165042,     0.21871967891826522765,
      -0.16425781669730805501,     0.10896317739888421998,      -0.063107815639766970102,
      0.031299056519183960551,     -0.01284394603094147037,     0.0040602636179288184423,
      -0.00079912681689877787604,  -0.000021761679561686196364, 0.000078983196913616669126,
      -0.000022556216449633746412, -1.9032558168200222893e-6,   2.9450578478934454433e-6,
      -4.0863280250156225381e-7,   -2.8504681990704544909e-7,   9.5996870908856503966e-8,
      2.6484412294087435437e-8,    -1.493275369664648962e-8,    -3.1108703586052268241e-9,
      1.5762033347227078779e-9,    4.3564569332801718105e-10};
};

// exp(a^2) erfc(a) for a >= 0.
template <class D, class V>
HWY_INLINE V ScaledErfc(D d, V a) {
  using Constants = ErfConstants<hn::TFromD<D>>;
  const V centre = hn::Set(d, Constants::kCentre);
  a = AtMost(hn::Set(d, Constants::kErfcEnd), a);
  const V t = hn::Div(hn::Sub(a, centre), hn::Add(a, centre));
  return Polynomial(d, t, Constants::kErfc);
}

// erf within 2 ulp.
template <class D, class V>
HWY_INLINE V Erf(D d, V x) {
  using T = hn::TFromD<D>;
  using Constants = ErfConstants<T>;
  const V a = hn::Abs(x);
  const V square = hn::Mul(x, x);
  const V near = hn::Mul(x, Polynomial(d, square, Constants::kErf));
  const V erfc = hn::Mul(ExpNonPositive(d, hn::Neg(square)), ScaledErfc(d, a));
  const V far = hn::CopySignToAbs(hn::Sub(hn::Set(d, T{1}), erfc), x);
  return hn::IfThenElse(hn::Lt(a, hn::Set(d, Constants::kErfSplit)), near, far);
}

// Phi(x) = (1 + erf(x / sqrt 2)) / 2, the standard normal distribution, and its density times
// sqrt(2 pi), exp(-x^2 / 2), which it needs anyway.
template <class D, class V>
HWY_INLINE V NormalDistribution(D d, V x, V& gaussian) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, T{0.5});
  const V a = hn::Mul(hn::Abs(x), hn::Set(d, static_cast<T>(0.70710678118654752440)));
  gaussian = ExpNonPositive(d, hn::Neg(hn::Mul(half, hn::Mul(x, x))));
  const V tail = hn::Mul(hn::Mul(half, gaussian), ScaledErfc(d, a));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(hn::Set(d, T{1}), tail));
}

// gelu(-inf) and swish(-inf) are 0, where the plain product of infinity and 0 would be NaN.
template <class D, class V>
HWY_INLINE V NoInfinityBelow(D d, V x) {
  return AtLeast(hn::Set(d, -hwy::HighestValue<hn::TFromD<D>>()), x);
}

// x Phi(x): within 3 ulp, or an absolute 1e-7 (float) or 2e-16 (double) where x is negative.
template <class D, class V>
HWY_INLINE V Gelu(D d, V x) {
  V gaussian;
  return hn::Mul(NoInfinityBelow(d, x), NormalDistribution(d, x, gaussian));
}

// x sigmoid(x), with the error of the sigmoid and one rounding.
template <class D, class V>
HWY_INLINE V Swish(D d, V x) {
  return hn::Mul(NoInfinityBelow(d, x), Sigmoid(d, x));
}

// 2 sqrt(2/pi) (x + .044715 x^3): gelu's tanh form x/2 (1 + tanh(u/2)) is x sigmoid(u) with it.
template <class D, class V>
HWY_INLINE V GeluTanhArgument(D d, V x) {
  using T = hn::TFromD<D>;
  const V linear = hn::Set(d, static_cast<T>(1.5957691216057307118));
  const V cubic = hn::Set(d, static_cast<T>(1.5957691216057307118 * 0.044715));
  return hn::Mul(x, hn::MulAdd(hn::Mul(x, x), cubic, linear));
}

template <class D, class V>
HWY_INLINE V GeluTanh(D d, V x) {
  return hn::Mul(NoInfinityBelow(d, x), Sigmoid(d, GeluTanhArgument(d, x)));
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_MATH_INL_H_
