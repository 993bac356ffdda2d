// SPDX-License-Identifier: Apache-2.0
// Sparse rows on every CPU target against a sort and a bisection in long double.
#include "heed/kernels/attention/sparse_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/softmax.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

// The usual formulation: sort, then the last k whose score is above the threshold of the first k.
template <typename T>
std::vector<long double> reference_sparsemax(const std::vector<T>& x) {
  const long double top = *std::max_element(x.begin(), x.end());
  std::vector<long double> sorted;
  for (const T value : x) sorted.push_back(value - top);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  long double sum = 0, threshold = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const long double candidate = (sum - 1) / static_cast<long double>(k + 1);
    if (sorted[k] > candidate) threshold = candidate;
  }
  std::vector<long double> p;
  for (const T value : x) p.push_back(std::max(value - top - threshold, 0.0L));
  return p;
}

long double power_weight(long double e, long double u) {
  if (e == 0) return std::exp(u);
  return 1 + e * u <= 0 ? 0 : std::exp(std::log1p(e * u) / e);
}

template <typename T>
std::vector<long double> reference_entmax(double alpha, const std::vector<T>& x) {
  if (alpha == 2) return reference_sparsemax(x);
  const long double e = alpha - 1.0L, top = *std::max_element(x.begin(), x.end());
  const auto n = static_cast<long double>(x.size());
  long double low = 0, high = e == 0 ? std::log(n) : -std::expm1(-e * std::log(n)) / e;
  high += 1e-18L;
  for (int step = 0; step < 70; ++step) {
    const long double middle = (low + high) / 2;
    long double sum = 0;
    for (const T value : x) sum += power_weight(e, value - top - middle);
    (sum > 1 ? low : high) = middle;
  }
  std::vector<long double> p;
  for (const T value : x) p.push_back(power_weight(e, value - top - low));
  return p;
}

constexpr double kAlphas[] = {0.95, 1, 1 + 1e-7, 1.01, 1.25, 1.5, 1.75, 2, 2.5, 4};

template <typename T>
class SparseRows : public testing::Test {
 protected:
  static std::vector<std::size_t> lengths() {
    std::vector<std::size_t> lengths;
    for (std::size_t n = 1; n <= 35; ++n) lengths.push_back(n);
    lengths.insert(lengths.end(), {63, 64, 65, 255, 256, 257, 1000, 1024, 1025, 5003});
    return lengths;
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseRows, Types);

TYPED_TEST(SparseRows, AgreeWithTheReferenceAtEveryLengthAndAlpha) {
  using T = TypeParam;
  for (const double alpha : kAlphas) {
    // In double above 2, see entmax_in_double.
    const double tolerance = sizeof(T) == 4 ? 1e-6 : alpha > 2 ? 1e-8 : 2e-15;
    for (const std::size_t n : this->lengths()) {
      for (const double spread : {0.1, 3.0}) {
        // One row alone; many short ones are computed side by side.
        for (const std::size_t rows : {1, 19}) {
          if (rows > 1 && (n > 70 || spread < 1)) continue;
          GuardedBuffer<T> x(rows * n, n % 4);
          fill_uniform(x.data(), rows * n, -spread, spread, static_cast<std::uint32_t>(n));
          std::vector<long double> expected;
          for (std::size_t r = 0; r < rows; ++r) {
            const std::vector<T> row(x.data() + r * n, x.data() + (r + 1) * n);
            const auto weights = reference_entmax(alpha, row);
            expected.insert(expected.end(), weights.begin(), weights.end());
          }
          on_every_target([&] {
            GuardedBuffer<T> y(rows * n, 1);
            entmax(alpha, x.data(), y.data(), rows, n);
            for (std::size_t i = 0; i < rows * n; ++i) {
              ASSERT_NEAR(y[i], expected[i], tolerance)
                  << "alpha " << alpha << ", item " << i % n << " of " << n << ", row " << i / n;
            }
          });
        }
      }
    }
  }
}

TYPED_TEST(SparseRows, SparsemaxIsEntmaxAtTwoAndGivesExactZeros) {
  using T = TypeParam;
  on_every_target([] {
    const T x[] = {-2, 0, T(0.5)};
    T y[3], z[3];
    sparsemax(x, y, 1, 3);
    entmax(2, x, z, 1, 3);
    const T expected[] = {0, T(0.25), T(0.75)};
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(y[i], expected[i]);
      EXPECT_EQ(z[i], expected[i]);
    }
  });
}

TYPED_TEST(SparseRows, AlphaOneIsSoftmax) {
  using T = TypeParam;
  on_every_target([] {
    std::vector<T> x(300), y(300), softmaxed(300);
    fill_uniform(x.data(), x.size(), -20, 20);
    entmax(1, x.data(), y.data(), 1, x.size());
    softmax(x.data(), softmaxed.data(), 1, x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(y[i], softmaxed[i], 40 * std::numeric_limits<T>::epsilon());
    }
  });
}

TYPED_TEST(SparseRows, FiniteScoresOfAnySizeGiveNoNan) {
  using T = TypeParam;
  on_every_target([] {
    for (const double alpha : kAlphas) {
      for (const std::size_t n : {3, 30, 300, 3000}) {
        for (const double size : {1e-30, 1e-10, 1.0, 1e10, 1e30}) {
          std::vector<T> x(n), y(n);
          fill_uniform(x.data(), n, -size, size);
          entmax(alpha, x.data(), y.data(), 1, n);
          double sum = 0;
          for (const T weight : y) {
            ASSERT_GE(weight, 0) << "alpha " << alpha << ", scores up to " << size;
            sum += weight;
          }
          ASSERT_NEAR(sum, 1, 1e-4) << "alpha " << alpha << ", scores up to " << size;
        }
      }
    }
  });
}

TYPED_TEST(SparseRows, MinusInfinityGetsNoWeightAndARowOfItZeros) {
  using T = TypeParam;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  on_every_target([&] {
    for (const double alpha : kAlphas) {
      for (const std::size_t n : {2, 9, 300, 2000}) {
        for (const std::size_t rows : {2, 20}) {
          std::vector<T> x(rows * n, -kInfinity), y(rows * n, T{7});
          x[n - 1] = 3;
          entmax(alpha, x.data(), y.data(), rows, n);
          for (std::size_t i = 0; i < rows * n; ++i) {
            ASSERT_EQ(y[i], i == n - 1 ? 1 : 0) << "alpha " << alpha << ", " << i << " of " << n;
          }
        }
      }
    }
  });
}

TYPED_TEST(SparseRows, ANanGivesANanInItsRowOnly) {
  using T = TypeParam;
  on_every_target([] {
    for (const double alpha : kAlphas) {
      for (const std::size_t n : {40, 400}) {
        for (const std::size_t rows : {1, 20}) {
          std::vector<T> x(n * rows, T{1}), y(n * rows);
          x[17] = std::numeric_limits<T>::quiet_NaN();
          entmax(alpha, x.data(), y.data(), rows, n);
          EXPECT_TRUE(std::isnan(y[17])) << alpha;
          const auto next = y.begin() + static_cast<std::ptrdiff_t>(n);
          EXPECT_EQ(std::count_if(next, y.end(), [](T v) { return std::isnan(v); }), 0);
        }
      }
    }
  });
}

TYPED_TEST(SparseRows, ANanAmongItemsOfMinusInfinityStaysANan) {
  using T = TypeParam;
  on_every_target([] {
    for (const double alpha : kAlphas) {
      for (const std::size_t rows : {1, 20}) {
        std::vector<T> x(40 * rows, -std::numeric_limits<T>::infinity()), y(40 * rows);
        x[3] = std::numeric_limits<T>::quiet_NaN();
        entmax(alpha, x.data(), y.data(), rows, 40);
        EXPECT_TRUE(std::isnan(y[3])) << alpha;
      }
    }
  });
}

TYPED_TEST(SparseRows, GradientsAgreeWithTheFormula) {
  using T = TypeParam;
  const double tolerance = 2000 * std::numeric_limits<T>::epsilon();
  on_every_target([&] {
    for (const double alpha : {1.0, 1.25, 1.5, 2.0, 2.5}) {
      for (const std::size_t n : {1, 2, 15, 16, 17, 33, 1000}) {
        GuardedBuffer<T> x(n, 1), y(n, 2), dy(n, 3), dx(n, 0);
        fill_uniform(x.data(), n, -2, 2);
        fill_uniform(dy.data(), n, -1, 1, 3);
        entmax(alpha, x.data(), y.data(), 1, n);
        entmax_backward(alpha, y.data(), dy.data(), dx.data(), 1, n);
        long double inner = 0, total = 0;
        std::vector<long double> u(n);
        for (std::size_t i = 0; i < n; ++i) {
          u[i] = y[i] > 0 ? std::pow(static_cast<long double>(y[i]), 2 - alpha) : 0;
          inner += u[i] * dy[i];
          total += u[i];
        }
        for (std::size_t i = 0; i < n; ++i) {
          const long double expected = u[i] * (dy[i] - inner / total);
          ASSERT_NEAR(dx[i], expected, tolerance * (1 + u[i])) << "alpha " << alpha;
          ASSERT_TRUE(y[i] > 0 || dx[i] == 0);
        }
      }
    }
  });
}

// Short rows go four at a time; where the gradient goes to makes no difference.
TYPED_TEST(SparseRows, GradientsOfManyRowsAreThoseOfEachRowAlone) {
  using T = TypeParam;
  on_every_target([] {
    for (const double alpha : {1.25, 1.5, 2.0}) {
      for (const std::size_t n : {1, 3, 8, 16, 17, 30, 63, 64, 65, 300}) {
        for (const std::size_t rows : {1, 2, 3, 4, 6}) {
          GuardedBuffer<T> x(rows * n, 1), y(rows * n, 2), dy(rows * n, 3), dx(rows * n, 0);
          fill_uniform(x.data(), rows * n, -2, 2);
          fill_uniform(dy.data(), rows * n, -1, 1, 3);
          entmax(alpha, x.data(), y.data(), rows, n);
          entmax_backward(alpha, y.data(), dy.data(), dx.data(), rows, n);
          std::vector<T> alone(rows * n);
          for (std::size_t at = 0; at < rows * n; at += n) {
            entmax_backward(alpha, y.data() + at, dy.data() + at, alone.data() + at, 1, n);
          }
          std::vector<T> over_y(y.data(), y.data() + rows * n);
          entmax_backward(alpha, over_y.data(), dy.data(), over_y.data(), rows, n);
          entmax_backward(alpha, y.data(), dy.data(), dy.data(), rows, n);
          for (std::size_t i = 0; i < rows * n; ++i) {
            ASSERT_EQ(dx[i], alone[i]) << rows << " rows of " << n << ", alpha " << alpha;
            ASSERT_EQ(dx[i], over_y[i]) << rows << " rows of " << n << ", alpha " << alpha;
            ASSERT_EQ(dx[i], dy[i]) << rows << " rows of " << n << ", alpha " << alpha;
          }
        }
      }
    }
  });
}

TYPED_TEST(SparseRows, WhatStandsInDyOutsideTheSupportReachesNobody) {
  using T = TypeParam;
  on_every_target([] {
    for (const double alpha : {1.25, 1.5, 2.0}) {
      for (const std::size_t n : {5, 30, 64, 100, 1000}) {
        std::vector<T> x(n, T{-50}), y(n), dy(n, std::numeric_limits<T>::quiet_NaN()), dx(n);
        x[1] = x[n - 1] = 1;
        dy[1] = 1;
        dy[n - 1] = 3;
        entmax(alpha, x.data(), y.data(), 1, n);
        entmax_backward(alpha, y.data(), dy.data(), dx.data(), 1, n);
        const double u = std::pow(0.5, 2 - alpha);
        for (std::size_t i = 0; i < n; ++i) {
          const double expected = i == 1 ? -u : i == n - 1 ? u : 0;
          ASSERT_NEAR(dx[i], expected, 1e-6) << "alpha " << alpha << ", " << i << " of " << n;
        }
      }
    }
  });
}

// Rows of every kind: few weights among many scores, and so many that they are not listed.
TYPED_TEST(SparseRows, LongRowsAreRightHoweverManyWeightsTheyHave) {
  using T = TypeParam;
  for (const double alpha : {1.25, 1.5, 2.0}) {
    const double tolerance = sizeof(T) == 4 ? 1e-6 : 2e-15;
    for (const double spread : {1e-6, 0.01, 0.3, 20.0}) {
      const std::size_t n = 3001;
      GuardedBuffer<T> x(n, 1);
      fill_uniform(x.data(), n, -spread, spread);
      const auto expected = reference_entmax(alpha, std::vector<T>(x.data(), x.data() + n));
      on_every_target([&] {
        GuardedBuffer<T> y(n, 2);
        entmax(alpha, x.data(), y.data(), 1, n);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_NEAR(y[i], expected[i], tolerance) << "alpha " << alpha << ", spread " << spread;
        }
      });
    }
  }
}

TYPED_TEST(SparseRows, TwoThreadsGiveTheSameBits) {
  using T = TypeParam;
  on_every_target([] {
    for (const std::size_t columns : {1, 30, 512, 5001}) {
      const std::size_t rows = 60000 / columns;
      std::vector<T> x(rows * columns), one(x.size()), two(x.size());
      fill_uniform(x.data(), x.size(), -5, 5);
      for (const double alpha : {1.3, 1.5, 2.0}) {
        {
          ThreadScope scope(1);
          entmax(alpha, x.data(), one.data(), rows, columns);
        }
        ThreadScope scope(2);
        entmax(alpha, x.data(), two.data(), rows, columns);
        ASSERT_EQ(one, two) << columns;
        entmax_backward(alpha, two.data(), x.data(), two.data(), rows, columns);
        std::vector<T> dx(x.size());
        ThreadScope single(1);
        entmax_backward(alpha, one.data(), x.data(), dx.data(), rows, columns);
        ASSERT_EQ(dx, two) << columns;
      }
    }
  });
}

TYPED_TEST(SparseRows, NothingToDoIsDone) {
  using T = TypeParam;
  entmax<T>(1.5, nullptr, nullptr, 0, 5);
  entmax<T>(1.5, nullptr, nullptr, 5, 0);
  entmax_backward<T>(1.5, nullptr, nullptr, nullptr, 5, 0);
}

}  // namespace
}  // namespace heed::kernels
