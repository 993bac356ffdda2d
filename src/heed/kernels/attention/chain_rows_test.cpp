// SPDX-License-Identifier: Apache-2.0
// Chains along rows on every CPU target against the plain recursion in long double.
#include "heed/kernels/attention/chain_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

using Long = std::vector<long double>;

long double log_add(long double a, long double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// Forward and backward sums over the two states, in logs, as textbooks have them.
template <typename T>
Long reference_marginals(const ChainPair& pair, const T* x, std::size_t n) {
  const long double both = pair.coupling, other = -pair.change;
  Long on(n), off(n), after_on(n, 0), after_off(n, 0), y(n);
  on[0] = x[0];
  off[0] = 0;
  for (std::size_t i = 1; i < n; ++i) {
    on[i] = x[i] + log_add(off[i - 1] + other, on[i - 1] + both);
    off[i] = log_add(off[i - 1], on[i - 1] + other);
  }
  for (std::size_t i = n - 1; i > 0; --i) {
    after_on[i - 1] = log_add(after_off[i] + other, x[i] + after_on[i] + both);
    after_off[i - 1] = log_add(after_off[i], x[i] + after_on[i] + other);
  }
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = 1 / (1 + std::exp(off[i] + after_off[i] - on[i] - after_on[i]));
  }
  return y;
}

// sum_j dy_j dy_j/dx_i by central differences in long double.
template <typename T>
Long reference_gradient(const ChainPair& pair, const T* x, const T* dy, std::size_t n) {
  Long dx(n), moved(x, x + n);
  const long double step = 1e-6L;
  const auto loss = [&] {
    const Long y = reference_marginals(pair, moved.data(), n);
    long double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += dy[j] * y[j];
    return sum;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const long double before = moved[i];
    moved[i] = before + step;
    const long double above = loss();
    moved[i] = before - step;
    dx[i] = (above - loss()) / (2 * step);
    moved[i] = before;
  }
  return dx;
}

constexpr ChainPair kPairs[] = {{1, 0}, {0, 0}, {-1.5, 0.25}, {0, 2}, {5, -1}};

template <typename T>
class ChainRows : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ChainRows, Types);

TYPED_TEST(ChainRows, AgreeWithTheRecursionAtEveryLength) {
  using T = TypeParam;
  const double tolerance = sizeof(T) == 4 ? 2e-6 : 1e-13;
  const double gradient_tolerance = sizeof(T) == 4 ? 4e-6 : 1e-10;  // differences, too
  for (const ChainPair& pair : kPairs) {
    ASSERT_TRUE(chain_pair_fits(pair));
    for (const std::size_t n : {1, 2, 3, 4, 7, 17, 30, 33}) {
      for (const std::size_t rows : {1, 5, 37}) {
        if (rows == 37 && n != 7 && n != 30) continue;
        GuardedBuffer<T> x(rows * n, n % 4), dy(rows * n, rows % 4);
        fill_uniform(x.data(), rows * n, -4, 4, static_cast<std::uint32_t>(n));
        fill_uniform(dy.data(), rows * n, -1, 1, static_cast<std::uint32_t>(n + 1));
        Long expected, gradient;
        for (std::size_t r = 0; r < rows; ++r) {
          const Long y = reference_marginals(pair, x.data() + r * n, n);
          const Long d = reference_gradient(pair, x.data() + r * n, dy.data() + r * n, n);
          expected.insert(expected.end(), y.begin(), y.end());
          gradient.insert(gradient.end(), d.begin(), d.end());
        }
        on_every_target([&] {
          GuardedBuffer<T> y(rows * n, 1), dx(rows * n, 3);
          ASSERT_TRUE(chain_marginals(pair, x.data(), y.data(), rows, n));
          ASSERT_TRUE(
              chain_marginals_backward(pair, x.data(), y.data(), dy.data(), dx.data(), rows, n));
          for (std::size_t i = 0; i < rows * n; ++i) {
            ASSERT_NEAR(y.data()[i], expected[i], tolerance) << rows << " x " << n << ": " << i;
            ASSERT_NEAR(dx.data()[i], gradient[i], gradient_tolerance)
                << rows << " x " << n << ": " << i;
          }
        });
      }
    }
  }
}

TYPED_TEST(ChainRows, KeepTheirDigitsAtThreeThousandItems) {
  using T = TypeParam;
  const std::size_t n = 3000;
  std::vector<T> x(n), y(n);
  fill_uniform(x.data(), n, -3, 3, 5);
  const Long expected = reference_marginals({1, 0}, x.data(), n);
  on_every_target([&] {
    ASSERT_TRUE(chain_marginals<T>({1, 0}, x.data(), y.data(), 1, n));
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_NEAR(y[i], expected[i], sizeof(T) == 4 ? 1e-6 : 1e-14) << i;
    }
  });
}

TYPED_TEST(ChainRows, StayFiniteAtAnySizeAndCountInfinityAsCertain) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  on_every_target([&] {
    for (const double size : {1e-30, 1e-5, 1e4, 1e30}) {
      std::vector<T> x(200), y(200), dy(200, 1), dx(200);
      fill_uniform(x.data(), 200, -size, size, 3);
      ASSERT_TRUE(chain_marginals<T>({1, 0.3}, x.data(), y.data(), 2, 100));
      ASSERT_TRUE(
          chain_marginals_backward<T>({1, 0.3}, x.data(), y.data(), dy.data(), dx.data(), 2, 100));
      for (std::size_t i = 0; i < 200; ++i) {
        ASSERT_TRUE(y[i] >= 0 && y[i] <= 1) << size;
        ASSERT_TRUE(std::isfinite(dx[i])) << size;
      }
    }
    const std::vector<T> x = {0, infinity, 0, -infinity, 0};
    std::vector<T> y(5);
    ASSERT_TRUE(chain_marginals<T>({1, 0}, x.data(), y.data(), 1, 5));
    const double beside = 1 / (1 + std::exp(-1.0));
    const double expected[] = {beside, 1, beside, 0, 0.5};
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(y[i], expected[i], 1e-6);
  });
}

TYPED_TEST(ChainRows, MakeOnlyTheRowOfANaNNaN) {
  using T = TypeParam;
  std::vector<T> x(3 * 9, T(0.5)), y(27);
  x[9 + 4] = std::numeric_limits<T>::quiet_NaN();
  on_every_target([&] {
    ASSERT_TRUE(chain_marginals<T>({1, 0}, x.data(), y.data(), 3, 9));
    for (std::size_t i = 0; i < 27; ++i) EXPECT_EQ(std::isnan(y[i]), i >= 9 && i < 18) << i;
  });
}

TYPED_TEST(ChainRows, HaveTheSameBitsAloneAndOnAnyNumberOfThreads) {
  using T = TypeParam;
  const std::size_t rows = 203, n = 30;
  std::vector<T> x(rows * n), all(rows * n), again(rows * n), alone(n);
  fill_uniform(x.data(), rows * n, -3, 3, 8);
  {
    const ThreadScope one(1);
    ASSERT_TRUE(chain_marginals<T>({1, 0}, x.data(), all.data(), rows, n));
  }
  const ThreadScope three(3);
  ASSERT_TRUE(chain_marginals<T>({1, 0}, x.data(), again.data(), rows, n));
  EXPECT_EQ(all, again);
  ASSERT_TRUE(chain_marginals<T>({1, 0}, x.data() + 77 * n, alone.data(), 1, n));
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), all.begin() + 77 * n));
}

TEST(ChainPairs, FitWhileTheirExponentialsAreFloats) {
  EXPECT_TRUE(chain_pair_fits({40, 0}));
  EXPECT_TRUE(chain_pair_fits({-10, 15}));
  EXPECT_FALSE(chain_pair_fits({41, 0}));
  EXPECT_FALSE(chain_pair_fits({0, -21}));
}

}  // namespace
}  // namespace heed::kernels
