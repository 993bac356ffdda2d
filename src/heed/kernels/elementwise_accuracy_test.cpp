// SPDX-License-Identifier: Apache-2.0
// The errors that the headers promise, over the whole range of float and a spread of doubles.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

using Long = long double;

template <typename T>
struct Promise {
  void (*kernel)(const T*, T*, std::size_t) noexcept;
  // For floats, double is exact enough as reference, and ten times quicker.
  double (*reference)(double);
  Long (*long_reference)(Long);
  double ulp;
  double absolute;  // an error up to this counts as none
};

template <typename T>
Long reference_of(const Promise<T>& promise, T x) {
  if constexpr (sizeof(T) == 4) return promise.reference(x);
  return promise.long_reference(x);
}

// All bit patterns with this step between them: infinities, NaN and subnormal numbers included.
template <typename T>
std::vector<T> spread_of_bits(std::size_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::vector<T> x(count);
  const Bits step = std::numeric_limits<Bits>::max() / count | 1;
  Bits bits = 0;
  for (T& value : x) {
    std::memcpy(&value, &bits, sizeof(T));
    bits += step;
  }
  return x;
}

template <typename T>
void check(const Promise<T>& promise) {
  // Every 997th float.
  constexpr std::size_t kCount = sizeof(T) == 4 ? 4307889 : 200000;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  std::vector<T> x = spread_of_bits<T>(kCount);
  // Most doubles of random bits are huge or tiny: these are not.
  std::vector<T> middle(kCount / 8);
  fill_uniform(middle.data(), middle.size(), -30, 30);
  x.insert(x.end(), middle.begin(), middle.end());
  fill_uniform(middle.data(), middle.size(), -2, 2);
  x.insert(x.end(), middle.begin(), middle.end());
  x.insert(x.end(), {T{0}, -T{0}, T{1}, T{-1}, kInfinity, -kInfinity,
                     std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::denorm_min(),
                     -std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(),
                     std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()});
  std::vector<Long> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = reference_of(promise, x[i]);

  std::vector<T> y(x.size());
  on_every_target([&] {
    promise.kernel(x.data(), y.data(), x.size());
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::abs(y[i] - expected[i]) <= promise.absolute) continue;
      const double error = ulp_error(y[i], expected[i]);
      if (!(error <= worst)) {
        worst = error;
        at = i;
      }
    }
    EXPECT_LE(worst, promise.ulp) << "at " << x[at] << ": " << y[at] << ", not " << expected[at];
  });
}

template <typename T>
class Accuracy : public testing::Test {
 protected:
  static constexpr double kUlp = sizeof(T) == 4 ? 3 : 4;
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Accuracy, Types);

TYPED_TEST(Accuracy, ExpIsWithinOneAndAHalfUlpSubnormalResultsIncluded) {
  check<TypeParam>(
      {exp, [](double x) { return std::exp(x); }, [](Long x) { return std::exp(x); }, 1.5, 0});
}

TYPED_TEST(Accuracy, LogIsWithinOneAndAHalfUlp) {
  check<TypeParam>(
      {log, [](double x) { return std::log(x); }, [](Long x) { return std::log(x); }, 1.5, 0});
}

TYPED_TEST(Accuracy, TanhIsWithinThreeUlpNearZeroToo) {
  check<TypeParam>(
      {tanh, [](double x) { return std::tanh(x); }, [](Long x) { return std::tanh(x); }, 3, 0});
}

TYPED_TEST(Accuracy, SigmoidIsWithinThreeUlp) {
  check<TypeParam>({sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); },
                    [](Long x) { return 1 / (1 + std::exp(-x)); }, 3, 0});
}

TYPED_TEST(Accuracy, ErfIsWithinThreeUlp) {
  check<TypeParam>(
      {erf, [](double x) { return std::erf(x); }, [](Long x) { return std::erf(x); }, 3, 0});
}

TYPED_TEST(Accuracy, SoftplusIsWithinThreeUlp) {
  check<TypeParam>(
      {softplus, [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); },
       [](Long x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); }, 3, 0});
}

// x times a factor that falls to 0 faster than x: the limit at -inf is 0, not NaN.
template <typename Real>
Real times(Real x, Real factor) {
  return factor == 0 ? -Real{0} : x * factor;
}

TYPED_TEST(Accuracy, GeluIsWithinThreeUlpOrOnePartInTenMillion) {
  check<TypeParam>({gelu, [](double x) { return times(x, std::erfc(-x * std::sqrt(0.5)) / 2); },
                    [](Long x) { return times(x, std::erfc(-x * std::sqrt(0.5L)) / 2); }, 3,
                    sizeof(TypeParam) == 4 ? 1e-7 : 2e-16});
}

template <typename Real>
Real gelu_tanh_of(Real x) {
  const Real u =
      2 * std::sqrt(2 / Real(3.14159265358979323846L)) * x * (1 + Real(0.044715L) * x * x);
  return times(x, 1 / (1 + std::exp(-u)));
}
TYPED_TEST(Accuracy, GeluTanhIsWithinThreeUlpOrOnePartInTenMillion) {
  check<TypeParam>({gelu_tanh, gelu_tanh_of<double>, gelu_tanh_of<Long>, 3,
                    sizeof(TypeParam) == 4 ? 1e-7 : 2e-16});
}

TYPED_TEST(Accuracy, SwishIsWithinThreeUlpWhereItIsNotVanishing) {
  check<TypeParam>({swish, [](double x) { return times(x, 1 / (1 + std::exp(-x))); },
                    [](Long x) { return times(x, 1 / (1 + std::exp(-x))); }, 3,
                    sizeof(TypeParam) == 4 ? 1e-35 : 1e-300});
}

}  // namespace
}  // namespace heed::kernels
