// SPDX-License-Identifier: Apache-2.0
// Binary operations: every operation, broadcast, stride, size and thread count against plain loops.
#include "heed/kernels/binary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

constexpr Binary kAll[] = {Binary::add,        Binary::subtract, Binary::multiply, Binary::divide,
                           Binary::maximum,    Binary::minimum,  Binary::power,    Binary::less,
                           Binary::less_equal, Binary::equal};

template <typename T>
T reference(Binary op, T a, T b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  switch (op) {
    case Binary::add:
      return a + b;
    case Binary::subtract:
      return a - b;
    case Binary::multiply:
      return a * b;
    case Binary::divide:
      return a / b;
    case Binary::maximum:
      return nan ? a + b : std::max(a, b);
    case Binary::minimum:
      return nan ? a + b : std::min(a, b);
    case Binary::power:
      return std::pow(a, b);
    case Binary::less:
      return a < b;
    case Binary::less_equal:
      return a <= b;
    case Binary::equal:
      return a == b;
  }
  return 0;
}

template <typename T>
bool same(T a, T b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// Room for rows x columns items at these strides.
std::size_t extent(std::size_t rows, std::size_t columns, Strides strides) {
  if (rows == 0 || columns == 0) return 0;
  return (rows - 1) * static_cast<std::size_t>(strides.row) +
         (columns - 1) * static_cast<std::size_t>(strides.column) + 1;
}

template <typename T>
void expect_reference(Binary op, std::size_t rows, std::size_t columns, Strides a_strides,
                      Strides b_strides, std::size_t gap, std::size_t offset) {
  GuardedBuffer<T> a(extent(rows, columns, a_strides), offset);
  GuardedBuffer<T> b(extent(rows, columns, b_strides), 3 - offset);
  const std::size_t y_row = columns + gap;
  GuardedBuffer<T> y(rows * y_row, offset);
  fill_uniform(a.data(), a.size(), 0.5, 3);
  fill_uniform(b.data(), b.size(), 0.5, 3, 7);
  fill_uniform(y.data(), y.size(), 9, 9);
  // Some items equal, so that the comparisons have something to find.
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); i += 3) b[i] = a[i];
  binary<T>(op, rows, columns, a.data(), a_strides, b.data(), b_strides, y.data(),
            static_cast<std::ptrdiff_t>(y_row));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < y_row; ++c) {
      const T expected = c < columns ? reference(op, a[r * a_strides.row + c * a_strides.column],
                                                 b[r * b_strides.row + c * b_strides.column])
                                     : T{9};
      ASSERT_EQ(y[r * y_row + c], expected)
          << "operation " << static_cast<int>(op) << " on " << rows << " x " << columns
          << ", strides " << a_strides.row << "," << a_strides.column << " and " << b_strides.row
          << "," << b_strides.column << ", item " << r << "," << c;
    }
  }
}

template <typename T>
class BinaryKernel : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BinaryKernel, Types);

TYPED_TEST(BinaryKernel, OneRowAgreesWithAPlainLoopAtEverySizeAndAlignment) {
  using T = TypeParam;
  on_every_target([] {
    for (const Binary op : kAll) {
      for (std::size_t n = 0; n <= 67; ++n) {
        for (std::size_t offset = 0; offset < 4; ++offset) {
          expect_reference<T>(op, 1, n, {0, 1}, {0, 1}, 0, offset);
        }
      }
      expect_reference<T>(op, 1, 70003, {0, 1}, {0, 1}, 0, 1);
    }
  });
}

TYPED_TEST(BinaryKernel, AnyStridesAndBroadcastsAgreeWithAPlainLoop) {
  using T = TypeParam;
  on_every_target([] {
    for (const Binary op : kAll) {
      for (const std::size_t rows : {1, 3}) {
        for (const std::size_t columns : {1, 5, 33, 300}) {
          const auto width = static_cast<std::ptrdiff_t>(columns);
          const Strides strides[] = {{width, 1}, {width + 2, 1}, {0, 1},        {1, 0},
                                     {0, 0},     {1, 17},        {2 * width, 2}};
          for (const Strides a : strides) {
            for (const Strides b : strides) {
              expect_reference<T>(op, rows, columns, a, b, 0, 1);
            }
          }
          expect_reference<T>(op, rows, columns, {width, 1}, {0, 1}, 3, 2);
        }
      }
    }
  });
}

TYPED_TEST(BinaryKernel, NegativeStridesWalkBackwards) {
  using T = TypeParam;
  on_every_target([] {
    const T a[] = {1, 2, 3, 4, 5, 6}, b[] = {10};
    T y[6];
    binary<T>(Binary::add, 2, 3, a + 5, {-3, -1}, b, {0, 0}, y, 3);
    const T expected[] = {16, 15, 14, 13, 12, 11};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(y[i], expected[i]);
  });
}

TYPED_TEST(BinaryKernel, TwoThreadsGiveTheBitsOfOneInPlaceToo) {
  using T = TypeParam;
  for (const std::size_t rows : {1, 2, 400}) {
    const std::size_t columns = rows == 400 ? 501 : 150001;
    const auto width = static_cast<std::ptrdiff_t>(columns);
    std::vector<T> a(rows * columns), b(columns), one(a.size());
    fill_uniform(a.data(), a.size(), 1, 2);
    fill_uniform(b.data(), b.size(), 1, 2, 4);
    for (const Binary op : kAll) {
      std::vector<T> two = a;
      {
        ThreadScope scope(1);
        binary<T>(op, rows, columns, a.data(), {width, 1}, b.data(), {0, 1}, one.data(), width);
      }
      ThreadScope scope(2);
      binary<T>(op, rows, columns, two.data(), {width, 1}, b.data(), {0, 1}, two.data(), width);
      ASSERT_EQ(one, two) << static_cast<int>(op) << " on " << rows << " rows";
    }
  }
}

TYPED_TEST(BinaryKernel, NanAndInfinityFollowTheRulesOfTheHeader) {
  using T = TypeParam;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  on_every_target([] {
    std::vector<T> a, b;
    for (const T left : {T{0}, T{1}, T{-2}, kInfinity, -kInfinity, kNan}) {
      for (const T right : {T{0}, T{1}, T{-2}, kInfinity, -kInfinity, kNan}) {
        a.push_back(left);
        b.push_back(right);
      }
    }
    std::vector<T> y(a.size());
    for (const Binary op : kAll) {
      binary<T>(op, 1, a.size(), a.data(), {0, 1}, b.data(), {0, 1}, y.data(), 0);
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_TRUE(same(y[i], reference(op, a[i], b[i])))
            << static_cast<int>(op) << " of " << a[i] << " and " << b[i] << " gave " << y[i];
      }
    }
  });
}

}  // namespace
}  // namespace heed::kernels
