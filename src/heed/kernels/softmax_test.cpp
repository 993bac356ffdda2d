// SPDX-License-Identifier: Apache-2.0
// Softmax against long double, at every row length, with masked rows, NaN, threads and in place.
#include "heed/kernels/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

template <typename T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <typename T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

template <typename T>
long double reference_log_sum(const T* x, std::size_t n) {
  const long double largest = *std::max_element(x, x + n);
  long double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::exp(x[i] - largest);
  return largest + std::log(sum);
}

template <typename T>
class SoftmaxKernel : public testing::Test {
 protected:
  // Rows in one block and in several, with and without a tail.
  static std::vector<std::size_t> lengths() {
    std::vector<std::size_t> lengths;
    for (std::size_t n = 1; n <= 67; ++n) lengths.push_back(n);
    lengths.insert(lengths.end(), {1024, 2048, 2049, 5003, 32000, 300007});
    return lengths;
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SoftmaxKernel, Types);

TYPED_TEST(SoftmaxKernel, AgreesWithTheReferenceAtEveryLengthAndAlignment) {
  using T = TypeParam;
  const double relative = 32 * std::numeric_limits<T>::epsilon();
  on_every_target([&] {
    for (const std::size_t n : this->lengths()) {
      const std::size_t rows = n < 100 ? 3 : 1;
      GuardedBuffer<T> x(rows * n, n % 4), y(rows * n, 1), logs(rows * n, 2), sums(rows, 3);
      fill_uniform(x.data(), x.size(), -8, 8, static_cast<std::uint32_t>(n));
      softmax(x.data(), y.data(), rows, n);
      log_softmax(x.data(), logs.data(), rows, n);
      log_sum_exp(x.data(), sums.data(), rows, n);
      for (std::size_t r = 0; r < rows; ++r) {
        const long double log_sum = reference_log_sum(x.data() + r * n, n);
        ASSERT_NEAR(sums[r], log_sum, relative * (1 + std::abs(log_sum)));
        for (std::size_t c = 0; c < n; ++c) {
          const long double log_weight = x[r * n + c] - log_sum;
          ASSERT_NEAR(logs[r * n + c], log_weight, relative * (1 - log_weight)) << n;
          const long double weight = std::exp(log_weight);
          ASSERT_NEAR(y[r * n + c], weight, relative * weight) << n << " items, item " << c;
        }
      }
    }
  });
}

TYPED_TEST(SoftmaxKernel, GradientsAgreeWithTheFormula) {
  using T = TypeParam;
  const double tolerance = 200 * std::numeric_limits<T>::epsilon();
  on_every_target([&] {
    for (const std::size_t n : this->lengths()) {
      GuardedBuffer<T> x(n, 1), y(n, 2), dy(n, 3), dx(n, 0);
      fill_uniform(x.data(), n, -2, 2);
      fill_uniform(dy.data(), n, -1, 1, 3);
      softmax(x.data(), y.data(), 1, n);
      softmax_backward(y.data(), dy.data(), dx.data(), 1, n);
      long double inner = 0, total = 0;
      for (std::size_t i = 0; i < n; ++i) {
        inner += static_cast<long double>(y[i]) * dy[i];
        total += dy[i];
      }
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_NEAR(dx[i], y[i] * (dy[i] - inner), tolerance) << n;
      }
      log_softmax(x.data(), y.data(), 1, n);
      log_softmax_backward(y.data(), dy.data(), dx.data(), 1, n);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_NEAR(dx[i], dy[i] - std::exp(static_cast<long double>(y[i])) * total, tolerance)
            << n;
      }
    }
  });
}

TYPED_TEST(SoftmaxKernel, LargeAndShiftedScoresStayExact) {
  using T = TypeParam;
  on_every_target([] {
    // 1000 apart: exp of any of them alone would overflow or vanish.
    const T x[] = {-1000, 1000, 999, 0};
    T y[4], sum = 0;
    softmax(x, y, 1, 4);
    const T expected[] = {0, T(0.73105857863000488), T(0.26894142136999512), 0};
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(y[i], expected[i], 4 * std::numeric_limits<T>::epsilon());
    }
    log_sum_exp(x, &sum, 1, 4);
    EXPECT_NEAR(sum, T(1000.31326168751822), 1000 * std::numeric_limits<T>::epsilon());
  });
}

TYPED_TEST(SoftmaxKernel, MinusInfinityGetsNoWeightAndARowOfItNone) {
  using T = TypeParam;
  on_every_target([] {
    // 5000: the first block is -inf altogether.
    for (const std::size_t n : {2, 8, 9, 40, 5000}) {
      std::vector<T> x(2 * n, -kInfinity<T>), y(2 * n), logs(2 * n), sums(2);
      x[n - 1] = 3;
      softmax(x.data(), y.data(), 2, n);
      log_softmax(x.data(), logs.data(), 2, n);
      log_sum_exp(x.data(), sums.data(), 2, n);
      for (std::size_t i = 0; i < 2 * n; ++i) {
        ASSERT_EQ(y[i], i == n - 1 ? 1 : 0) << i << " of " << n;
        ASSERT_EQ(logs[i], i == n - 1 ? 0 : -kInfinity<T>) << i << " of " << n;
      }
      EXPECT_EQ(sums[0], 3);
      EXPECT_EQ(sums[1], -kInfinity<T>);
      std::vector<T> dy(2 * n, T{1}), dx(2 * n);
      softmax_backward(y.data(), dy.data(), dx.data(), 2, n);
      for (std::size_t i = n; i < 2 * n; ++i) ASSERT_EQ(dx[i], 0);
      log_softmax_backward(logs.data(), dy.data(), dx.data(), 2, n);
      for (std::size_t i = n; i < 2 * n; ++i) ASSERT_EQ(dx[i], 0);
    }
  });
}

TYPED_TEST(SoftmaxKernel, NanAndPlusInfinityPoisonTheirRowOnly) {
  using T = TypeParam;
  on_every_target([] {
    for (const std::size_t n : {1, 5, 8, 19, 5000}) {
      for (const T bad : {kNan<T>, kInfinity<T>}) {
        for (const T rest : {T{1}, -kInfinity<T>}) {
          for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
            std::vector<T> x(2 * n, rest), y(2 * n), logs(2 * n), sums(2);
            std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(n), n, T{1});
            x[at] = bad;
            softmax(x.data(), y.data(), 2, n);
            log_softmax(x.data(), logs.data(), 2, n);
            log_sum_exp(x.data(), sums.data(), 2, n);
            for (std::size_t i = 0; i < n; ++i) {
              ASSERT_TRUE(std::isnan(y[i])) << i << " of " << n;
              ASSERT_TRUE(std::isnan(logs[i])) << i << " of " << n;
              ASSERT_GT(y[n + i], 0);
              ASSERT_LE(logs[n + i], 0);
            }
            if (std::isnan(bad)) {
              ASSERT_TRUE(std::isnan(sums[0]));
            } else {
              ASSERT_EQ(sums[0], kInfinity<T>);
            }
            ASSERT_NEAR(sums[1], 1 + std::log(static_cast<double>(n)), 1e-5);
          }
        }
      }
    }
  });
}

TYPED_TEST(SoftmaxKernel, TwoThreadsAndInPlaceGiveTheSameBits) {
  using T = TypeParam;
  on_every_target([] {
    for (const std::size_t columns : {1, 30, 512, 5001}) {
      const std::size_t rows = 60000 / columns;
      std::vector<T> x(rows * columns), dy(x.size()), one(x.size());
      fill_uniform(x.data(), x.size(), -5, 5);
      fill_uniform(dy.data(), dy.size(), -1, 1, 2);
      for (const auto kernel : {softmax<T>, log_softmax<T>}) {
        std::vector<T> two = x;
        {
          ThreadScope scope(1);
          kernel(x.data(), one.data(), rows, columns);
        }
        ThreadScope scope(2);
        kernel(two.data(), two.data(), rows, columns);
        ASSERT_EQ(one, two) << columns;
      }
      for (const auto kernel : {softmax_backward<T>, log_softmax_backward<T>}) {
        std::vector<T> dx(x.size()), two = dy;
        {
          ThreadScope scope(1);
          kernel(one.data(), dy.data(), dx.data(), rows, columns);
        }
        ThreadScope scope(2);
        kernel(one.data(), two.data(), two.data(), rows, columns);
        ASSERT_EQ(dx, two) << columns;
      }
    }
  });
}

TYPED_TEST(SoftmaxKernel, NothingToDoIsDone) {
  using T = TypeParam;
  softmax<T>(nullptr, nullptr, 0, 5);
  softmax<T>(nullptr, nullptr, 5, 0);
  T sums[2] = {1, 1};
  log_sum_exp<T>(nullptr, sums, 2, 0);
  EXPECT_EQ(sums[0], -kInfinity<T>);
  EXPECT_EQ(sums[1], -kInfinity<T>);
}

}  // namespace
}  // namespace heed::kernels
