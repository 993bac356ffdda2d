// SPDX-License-Identifier: Apache-2.0
// Numbers for sums over structures: exponentials of any size, and values with their slopes, so that
// one algorithm gives sums, posteriors and, run along a direction, gradients.
#pragma once

#include <cmath>
#include <cstdint>

namespace heed::attention {

// A double with an exponent of its own: products of any number of exponentials neither vanish nor
// overflow. Trees of 30 words take 20 to 40 times as long with it, so doubles are tried first.
class Wide {
 public:
  Wide() = default;
  Wide(double value) : Wide(value, 0) {}  // NOLINT(google-explicit-constructor): as a double

  // e^x for |x| up to 1e15; 0 for -inf.
  static Wide exp(double x) {
    if (x == -INFINITY) return {};
    constexpr double kLog2High = 0x1.62e42fefa39efp-1, kLog2Low = 0x1.abc9e3b39803fp-56;
    const double power = std::floor(x / kLog2High);
    const double rest = std::fma(-power, kLog2Low, std::fma(-power, kLog2High, x));
    return {std::exp(rest), static_cast<std::int64_t>(power)};
  }
  double log() const { return std::log(fraction_) + static_cast<double>(exponent_) * M_LN2; }
  // 0 or infinity beyond a double's range.
  double value() const {
    return std::ldexp(fraction_, exponent_ > 4096    ? 4096
                                 : exponent_ < -4096 ? -4096
                                                     : static_cast<int>(exponent_));
  }

  friend Wide operator*(const Wide& a, const Wide& b) {
    return {a.fraction_ * b.fraction_, a.exponent_ + b.exponent_};
  }
  friend Wide operator/(const Wide& a, const Wide& b) {
    return {a.fraction_ / b.fraction_, a.exponent_ - b.exponent_};
  }
  friend Wide operator+(const Wide& a, const Wide& b) {
    if (a.fraction_ == 0) return b;
    if (b.fraction_ == 0) return a;
    const bool ordered = a.exponent_ >= b.exponent_;
    const Wide &high = ordered ? a : b, &low = ordered ? b : a;
    const std::int64_t apart = high.exponent_ - low.exponent_;
    if (apart > 64) return high;  // less than half a unit in the last place
    return {high.fraction_ + std::ldexp(low.fraction_, -static_cast<int>(apart)), high.exponent_};
  }
  friend Wide operator-(const Wide& a, const Wide& b) { return a + b * Wide(-1.0); }
  Wide& operator+=(const Wide& other) { return *this = *this + other; }
  friend bool operator>(const Wide& a, double zero) { return a.fraction_ > zero; }

 private:
  Wide(double fraction, std::int64_t exponent) {
    int shift = 0;
    fraction_ = std::frexp(fraction, &shift);
    exponent_ = fraction_ == 0 ? 0 : exponent + shift;
  }
  double fraction_ = 0;  // 0, or in [1/2, 1) but for the sign
  std::int64_t exponent_ = 0;
};

// A value and its slope along a direction.
template <typename N>
struct Sloped {
  N value = 0;
  N slope = 0;

  Sloped() = default;
  Sloped(N v, N s) : value(v), slope(s) {}
  Sloped(double v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant
  friend Sloped operator+(const Sloped& a, const Sloped& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend Sloped operator-(const Sloped& a, const Sloped& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend Sloped operator*(const Sloped& a, const Sloped& b) {
    return {a.value * b.value, a.value * b.slope + a.slope * b.value};
  }
  friend Sloped operator/(const Sloped& a, const Sloped& b) {
    const N quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  Sloped& operator+=(const Sloped& other) { return *this = *this + other; }
};

// What the algorithms ask of each kind of number: e^x, moving along g; its logarithm; what a result
// is made of, the value or, where there is one, the slope; what a row of them may be divided by so
// that products stay within a double's range; whether a sum can be trusted.
template <typename N>
struct NumberOf;
template <>
struct NumberOf<double> {
  // Below this a double may have lost what was added to it: the sum is done again with Wide.
  static constexpr double kLeast = 1e-150;
  static double exp(double x, double) { return std::exp(x); }
  static double log(double x) { return std::log(x); }
  static double result(double x) { return x; }
  static double size(double x) { return x; }
  static bool is_sound(double x) { return x > kLeast && x < 1 / kLeast; }
};
template <>
struct NumberOf<Wide> {
  static Wide exp(double x, double) { return Wide::exp(x); }
  static double log(const Wide& x) { return x.log(); }
  static double result(const Wide& x) { return x.value(); }
  static double size(const Wide& x) { return x > 0 ? 1 : 0; }
  static bool is_sound(const Wide& x) { return x > 0; }
};
// The weight e^x moves by e^x g when the scores move along g.
template <typename N>
struct NumberOf<Sloped<N>> {
  static Sloped<N> exp(double x, double g) {
    const N value = NumberOf<N>::exp(x, 0);
    return {value, value * N(g)};
  }
  static double log(const Sloped<N>& x) { return NumberOf<N>::log(x.value); }
  static double result(const Sloped<N>& x) { return NumberOf<N>::result(x.slope); }
  static double size(const Sloped<N>& x) { return NumberOf<N>::size(x.value); }
  static bool is_sound(const Sloped<N>& x) { return NumberOf<N>::is_sound(x.value); }
};

}  // namespace heed::attention
