// SPDX-License-Identifier: Apache-2.0
// Reductions against long double sums and plain searches, at every size and thread count.
#include "heed/kernels/reductions.h"

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
constexpr double kEpsilon = std::numeric_limits<T>::epsilon();
template <typename T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <typename T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

template <typename T>
class Reductions : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Reductions, Types);

TYPED_TEST(Reductions, SumsAndExtremesAgreeAtEverySizeAndAlignment) {
  using T = TypeParam;
  on_every_target([] {
    const auto check = [](std::size_t n, std::size_t offset) {
      GuardedBuffer<T> a(n, offset), b(n, 3 - offset);
      fill_uniform(a.data(), n, -1, 2);
      fill_uniform(b.data(), n, -1, 2, 8);
      long double total = 0, squares = 0, product = 0;
      for (std::size_t i = 0; i < n; ++i) {
        total += a[i];
        squares += static_cast<long double>(a[i]) * a[i];
        product += static_cast<long double>(a[i]) * b[i];
      }
      // Pairwise: some roundings of the sum of magnitudes, however long. (No product is above 4.)
      const double tolerance = 16 * kEpsilon<T> * static_cast<double>(n);
      ASSERT_NEAR(sum(a.data(), n), total, tolerance) << n;
      ASSERT_NEAR(sum_squares(a.data(), n), squares, tolerance) << n;
      ASSERT_NEAR(dot(a.data(), b.data(), n), product, tolerance) << n;
      if (n == 0) {
        ASSERT_EQ(maximum(a.data(), n), -kInfinity<T>);
        ASSERT_EQ(minimum(a.data(), n), kInfinity<T>);
        ASSERT_EQ(argmax(a.data(), n), 0u);
        return;
      }
      const T* largest = std::max_element(a.data(), a.data() + n);
      ASSERT_EQ(maximum(a.data(), n), *largest);
      ASSERT_EQ(minimum(a.data(), n), *std::min_element(a.data(), a.data() + n));
      ASSERT_EQ(argmax(a.data(), n), static_cast<std::size_t>(largest - a.data()));
    };
    for (std::size_t n = 0; n <= 67; ++n) {
      for (std::size_t offset = 0; offset < 4; ++offset) check(n, offset);
    }
    for (const std::size_t n : {2047, 2049, 10000, 200001}) check(n, 1);
  });
}

TYPED_TEST(Reductions, LongSumsDoNotDrift) {
  using T = TypeParam;
  // A million times .1: a running float sum would be off by one percent.
  const std::vector<T> x(1000000, T(0.1));
  const double exact = 1e6 * static_cast<double>(T(0.1));
  on_every_target([&] {
    EXPECT_NEAR(sum(x.data(), x.size()), exact, 64 * exact * kEpsilon<T>);
    T columns = 0;
    sum_columns(x.data(), x.size(), 1, &columns);
    EXPECT_NEAR(columns, exact, 500 * exact * kEpsilon<T>);
  });
}

TYPED_TEST(Reductions, ThreadCountDoesNotChangeABit) {
  using T = TypeParam;
  const std::size_t rows = 307, columns = 811;
  std::vector<T> x(rows * columns);
  fill_uniform(x.data(), x.size(), -1, 1);
  on_every_target([&] {
    std::vector<std::vector<T>> results;
    for (const int count : {1, 2}) {
      ThreadScope scope(count);
      std::vector<T> y(rows + 2 * columns);
      sum_rows(x.data(), rows, columns, y.data());
      sum_columns(x.data(), rows, columns, y.data() + rows);
      maximum_columns(x.data(), rows, columns, y.data() + rows + columns, nullptr);
      y.push_back(sum(x.data(), x.size()));
      y.push_back(sum_squares(x.data(), x.size()));
      y.push_back(dot(x.data(), x.data(), x.size()));
      y.push_back(static_cast<T>(argmax(x.data(), x.size())));
      results.push_back(y);
    }
    EXPECT_EQ(results[0], results[1]);
  });
}

TYPED_TEST(Reductions, NanIsNeverLostAndTiesGoToTheFirst) {
  using T = TypeParam;
  on_every_target([] {
    for (std::size_t n = 1; n <= 67; ++n) {
      std::vector<T> x(n, T{3});
      EXPECT_EQ(argmax(x.data(), n), 0u);
      for (std::size_t at = 0; at < n; ++at) {
        x[at] = kNan<T>;
        ASSERT_TRUE(std::isnan(maximum(x.data(), n))) << at << " of " << n;
        ASSERT_TRUE(std::isnan(minimum(x.data(), n))) << at << " of " << n;
        ASSERT_TRUE(std::isnan(sum(x.data(), n)));
        ASSERT_EQ(argmax(x.data(), n), at);
        x[at] = 3;
      }
      const std::vector<T> lowest(n, -kInfinity<T>);
      EXPECT_EQ(maximum(lowest.data(), n), -kInfinity<T>);
      EXPECT_EQ(argmax(lowest.data(), n), 0u);
    }
  });
}

TYPED_TEST(Reductions, RowsAndColumnsAgreeWithPlainLoops) {
  using T = TypeParam;
  on_every_target([] {
    for (const std::size_t rows : {0, 1, 2, 3, 4, 5, 9, 300, 1030}) {
      for (const std::size_t columns : {0, 1, 2, 5, 8, 16, 31, 67, 520}) {
        GuardedBuffer<T> x(rows * columns, 1);
        fill_uniform(x.data(), x.size(), -1, 1);
        GuardedBuffer<T> row_sums(rows, 1), column_sums(columns, 2), added(columns, 3);
        GuardedBuffer<T> row_maxima(rows, 0), column_maxima(columns, 1);
        GuardedBuffer<std::int32_t> row_index(rows, 1), column_index(columns, 1);
        fill_uniform(added.data(), columns, 2, 2);
        sum_rows(x.data(), rows, columns, row_sums.data());
        sum_columns(x.data(), rows, columns, column_sums.data());
        add_columns(x.data(), rows, columns, added.data());
        maximum_rows(x.data(), rows, columns, row_maxima.data(), row_index.data());
        maximum_columns(x.data(), rows, columns, column_maxima.data(), column_index.data());
        const double tolerance = 256 * kEpsilon<T>;
        for (std::size_t r = 0; r < rows; ++r) {
          long double total = 0;
          T largest = -kInfinity<T>;
          std::size_t index = 0;
          for (std::size_t c = 0; c < columns; ++c) {
            const T v = x[r * columns + c];
            total += v;
            if (v > largest) {
              largest = v;
              index = c;
            }
          }
          ASSERT_NEAR(row_sums[r], total, tolerance) << rows << " x " << columns;
          ASSERT_EQ(row_maxima[r], largest);
          ASSERT_EQ(row_index[r], static_cast<std::int32_t>(index));
        }
        for (std::size_t c = 0; c < columns; ++c) {
          long double total = 0;
          T largest = -kInfinity<T>;
          std::size_t index = 0;
          for (std::size_t r = 0; r < rows; ++r) {
            const T v = x[r * columns + c];
            total += v;
            if (v > largest) {
              largest = v;
              index = r;
            }
          }
          ASSERT_NEAR(column_sums[c], total, tolerance) << rows << " x " << columns;
          ASSERT_NEAR(added[c], 2 + total, tolerance);
          ASSERT_EQ(column_maxima[c], largest);
          ASSERT_EQ(column_index[c], static_cast<std::int32_t>(index));
        }
      }
    }
  });
}

TYPED_TEST(Reductions, ColumnMaximaFollowTheSameRules) {
  using T = TypeParam;
  on_every_target([] {
    // Columns: a tie, a NaN, two NaNs, only -inf.
    const T x[] = {1, 2,       kNan<T>, -kInfinity<T>,  //
                   5, kNan<T>, 7,       -kInfinity<T>,  //
                   5, 9,       kNan<T>, -kInfinity<T>};
    T y[4];
    std::int32_t index[4];
    maximum_columns(x, 3, 4, y, index);
    EXPECT_EQ(y[0], 5);
    EXPECT_EQ(index[0], 1);
    EXPECT_TRUE(std::isnan(y[1]));
    EXPECT_EQ(index[1], 1);
    EXPECT_TRUE(std::isnan(y[2]));
    EXPECT_EQ(index[2], 0);
    EXPECT_EQ(y[3], -kInfinity<T>);
    EXPECT_EQ(index[3], 0);
  });
}

TYPED_TEST(Reductions, RunningSumsGoBothWaysInPlaceToo) {
  using T = TypeParam;
  for (const std::size_t columns : {1, 2, 9, 67}) {
    const std::size_t rows = 5;
    GuardedBuffer<T> x(rows * columns, 1), y(rows * columns, 2);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 7);
    cumulative_sum(x.data(), rows, columns, y.data(), Direction::forward);
    for (std::size_t r = 0; r < rows; ++r) {
      T total = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        total += x[r * columns + c];
        ASSERT_EQ(y[r * columns + c], total);
      }
    }
    std::vector<T> expected(x.size());
    for (std::size_t r = 0; r < rows; ++r) {
      T total = 0;
      for (std::size_t c = columns; c-- > 0;) {
        total += x[r * columns + c];
        expected[r * columns + c] = total;
      }
    }
    cumulative_sum(x.data(), rows, columns, x.data(), Direction::reverse);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], expected[i]);
  }
}

}  // namespace
}  // namespace heed::kernels
