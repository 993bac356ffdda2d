// SPDX-License-Identifier: Apache-2.0
// Elementwise maps against scalar references: sizes, alignments, in place, threads.
#include "heed/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

template <typename T>
struct UnaryCase {
  const char* name;
  void (*kernel)(const T*, T*, std::size_t) noexcept;
  long double (*reference)(long double);
  double low, high;
};

long double sigmoid_of(long double x) {
  return 1 / (1 + std::exp(-x));
}
long double gelu_of(long double x) {
  return x / 2 * std::erfc(-x * std::sqrt(0.5L));
}
long double gelu_tanh_of(long double x) {
  return x * sigmoid_of(2 * std::sqrt(2 / 3.14159265358979323846L) * (x + 0.044715L * x * x * x));
}

template <typename T>
const std::vector<UnaryCase<T>>& unary_cases() {
  using Long = long double;
  static const std::vector<UnaryCase<T>> cases = {
      {"exp", exp<T>, [](Long x) { return std::exp(x); }, -20, 20},
      {"log", log<T>, [](Long x) { return std::log(x); }, 0.01, 50},
      {"sqrt", sqrt<T>, [](Long x) { return std::sqrt(x); }, 0, 50},
      {"square", square<T>, [](Long x) { return x * x; }, -5, 5},
      {"absolute", absolute<T>, [](Long x) { return std::abs(x); }, -5, 5},
      {"negate", negate<T>, [](Long x) { return -x; }, -5, 5},
      {"sin", sin<T>, [](Long x) { return std::sin(x); }, 0.1, 3},
      {"cos", cos<T>, [](Long x) { return std::cos(x); }, -1.5, 1.5},
      {"tanh", tanh<T>, [](Long x) { return std::tanh(x); }, -5, 5},
      {"sigmoid", sigmoid<T>, sigmoid_of, -9, 9},
      {"erf", erf<T>, [](Long x) { return std::erf(x); }, -3, 3},
      {"gelu", gelu<T>, gelu_of, -0.9, 5},
      {"gelu_tanh", gelu_tanh<T>, gelu_tanh_of, -0.5, 5},
      {"relu", relu<T>, [](Long x) { return x > 0 ? x : 0; }, -5, 5},
      {"swish", swish<T>, [](Long x) { return x * sigmoid_of(x); }, -5, 5},
      {"softplus", softplus<T>, [](Long x) { return std::log1p(std::exp(x)); }, -5, 5},
  };
  return cases;
}

// The gradient cases: kernel(known, dy, dx, n) against dy * slope(known).
template <typename T>
struct BackwardCase {
  const char* name;
  void (*kernel)(const T*, const T*, T*, std::size_t) noexcept;
  long double (*slope)(long double);
  double low, high;
};

// Central differences in long double are good to 1e-12 here, far below what is asked of them.
long double slope_of(long double (*f)(long double), long double x) {
  const long double h = 1e-6L;
  return (f(x + h) - f(x - h)) / (2 * h);
}

template <typename T>
const std::vector<BackwardCase<T>>& backward_cases() {
  using Long = long double;
  static const std::vector<BackwardCase<T>> cases = {
      {"tanh_backward", tanh_backward<T>, [](Long y) { return 1 - y * y; }, -1, 1},
      {"sigmoid_backward", sigmoid_backward<T>, [](Long y) { return y * (1 - y); }, 0, 1},
      {"relu_backward", relu_backward<T>, [](Long y) -> Long { return y > 0 ? 1 : 0; }, -2, 2},
      {"erf_backward", erf_backward<T>,
       [](Long x) { return slope_of([](Long v) { return std::erf(v); }, x); }, -3, 3},
      {"gelu_backward", gelu_backward<T>, [](Long x) { return slope_of(gelu_of, x); }, -5, 5},
      {"gelu_tanh_backward", gelu_tanh_backward<T>,
       [](Long x) { return slope_of(gelu_tanh_of, x); }, -5, 5},
      {"swish_backward", swish_backward<T>,
       [](Long x) { return slope_of([](Long v) { return v * sigmoid_of(v); }, x); }, -9, 9},
      {"softplus_backward", softplus_backward<T>, sigmoid_of, -9, 9},
  };
  return cases;
}

// Every size up to 67 at every offset up to 3, and some sizes that thread.
template <typename Body>
void for_sizes(const Body& body) {
  for (std::size_t n = 0; n <= 67; ++n) {
    for (std::size_t offset = 0; offset < 4; ++offset) body(n, offset);
  }
  body(1000, 1);
  body(70001, 3);
}

template <typename T>
class Elementwise : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Elementwise, Types);

TYPED_TEST(Elementwise, UnaryMapsAgreeWithTheReferenceAtEverySizeAndAlignment) {
  using T = TypeParam;
  on_every_target([] {
    for (const UnaryCase<T>& test : unary_cases<T>()) {
      for_sizes([&](std::size_t n, std::size_t offset) {
        GuardedBuffer<T> x(n, offset), y(n, 3 - offset);
        fill_uniform(x.data(), n, test.low, test.high);
        test.kernel(x.data(), y.data(), n);
        for (std::size_t i = 0; i<n; i += n> 1000 ? 37 : 1) {
          ASSERT_LE(ulp_error(y[i], test.reference(x[i])), 5)
              << test.name << " of " << x[i] << ", item " << i << " of " << n;
        }
      });
    }
  });
}

TYPED_TEST(Elementwise, UnaryMapsInPlaceAndOnTwoThreadsGiveTheSameBits) {
  using T = TypeParam;
  on_every_target([] {
    for (const UnaryCase<T>& test : unary_cases<T>()) {
      for (const std::size_t n : {0, 1, 7, 8, 17, 31, 67, 200003}) {
        std::vector<T> x(n), one(n), two(n);
        fill_uniform(x.data(), n, test.low, test.high, 5);
        two = x;
        {
          ThreadScope scope(1);
          test.kernel(x.data(), one.data(), n);
        }
        ThreadScope scope(2);
        test.kernel(two.data(), two.data(), n);
        ASSERT_EQ(one, two) << test.name << " at " << n;
      }
    }
  });
}

TYPED_TEST(Elementwise, GradientsAgreeWithTheSlopeAtEverySizeAndInPlace) {
  using T = TypeParam;
  on_every_target([] {
    for (const BackwardCase<T>& test : backward_cases<T>()) {
      for_sizes([&](std::size_t n, std::size_t offset) {
        GuardedBuffer<T> known(n, offset), dy(n, 1), dx(n, 2);
        fill_uniform(known.data(), n, test.low, test.high);
        fill_uniform(dy.data(), n, -2, 2, 3);
        test.kernel(known.data(), dy.data(), dx.data(), n);
        for (std::size_t i = 0; i<n; i += n> 1000 ? 37 : 1) {
          const long double expected = test.slope(known[i]) * dy[i];
          const double tolerance = sizeof(T) == 4 ? 1e-6 : 1e-11;
          ASSERT_NEAR(dx[i], expected, tolerance) << test.name << " at " << known[i];
        }
        test.kernel(known.data(), dy.data(), dy.data(), n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(dy[i], dx[i]) << test.name;
      });
    }
  });
}

TYPED_TEST(Elementwise, GradientsAreFiniteAtInfinity) {
  using T = TypeParam;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  on_every_target([] {
    const T x[] = {-kInfinity, kInfinity, -1e30f, 1e30f};
    const T dy[] = {1, 1, 1, 1};
    T dx[4];
    for (const auto kernel : {gelu_backward<T>, gelu_tanh_backward<T>, swish_backward<T>}) {
      kernel(x, dy, dx, 4);
      for (std::size_t i = 0; i < 4; ++i) ASSERT_NEAR(dx[i], x[i] > 0 ? 1 : 0, 1e-30) << x[i];
    }
  });
}

TYPED_TEST(Elementwise, FillScaleAddAndClampDoWhatTheySay) {
  using T = TypeParam;
  on_every_target([] {
    for_sizes([](std::size_t n, std::size_t offset) {
      GuardedBuffer<T> x(n, offset), y(n, 1), z(n, 2);
      fill_uniform(x.data(), n, -2, 2);
      fill_uniform(y.data(), n, -2, 2, 9);
      scale(T{3}, x.data(), z.data(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], 3 * x[i]);
      add_constant(T{0.5}, x.data(), z.data(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], x[i] + T{0.5});
      clamp(T{-1}, T{1}, x.data(), z.data(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], std::min(std::max(x[i], T{-1}), T{1}));
      fill(z.data(), n, T{4});
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], 4);
      add_scaled(T{-2}, x.data(), z.data(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], 4 - 2 * x[i]);
      relu(x.data(), z.data(), n);
      select(z.data(), x.data(), y.data(), z.data(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], x[i] > 0 ? x[i] : y[i]);
    });
  });
}

TYPED_TEST(Elementwise, ClampAndReluKeepNan) {
  using T = TypeParam;
  on_every_target([] {
    const std::vector<T> x(19, std::numeric_limits<T>::quiet_NaN());
    std::vector<T> y(19, 0);
    clamp(T{-1}, T{1}, x.data(), y.data(), y.size());
    for (const T v : y) EXPECT_TRUE(std::isnan(v));
    relu(x.data(), y.data(), y.size());
    for (const T v : y) EXPECT_TRUE(std::isnan(v));
  });
}

}  // namespace
}  // namespace heed::kernels
