// SPDX-License-Identifier: Apache-2.0
// Copies and transposes: every item lands where it should and nothing else is touched.
#include "heed/kernels/copy.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

template <typename T>
void expect_copied(std::size_t rows, std::size_t columns, Strides x_strides, Strides y_strides,
                   std::size_t offset = 1) {
  const auto extent = [&](Strides strides) {
    if (rows == 0 || columns == 0) return std::size_t{0};
    return static_cast<std::size_t>((static_cast<std::ptrdiff_t>(rows) - 1) * strides.row +
                                    (static_cast<std::ptrdiff_t>(columns) - 1) * strides.column +
                                    1);
  };
  GuardedBuffer<T> x(extent(x_strides), offset), y(extent(y_strides), 3 - offset);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i + 1);
  std::vector<T> expected(y.size(), T{-1});
  std::copy(expected.begin(), expected.end(), y.data());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      expected[r * y_strides.row + c * y_strides.column] =
          x[r * x_strides.row + c * x_strides.column];
    }
  }
  copy_strided<T>(rows, columns, x.data(), x_strides, y.data(), y_strides);
  for (std::size_t i = 0; i < y.size(); ++i) {
    ASSERT_EQ(y[i], expected[i]) << "item " << i << " of " << rows << " x " << columns
                                 << ", strides " << x_strides.row << "," << x_strides.column
                                 << " to " << y_strides.row << "," << y_strides.column;
  }
}

template <typename T>
class CopyKernel : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CopyKernel, Types);

TYPED_TEST(CopyKernel, ContiguousCopiesEverySize) {
  using T = TypeParam;
  for (std::size_t n = 0; n <= 67; ++n) {
    GuardedBuffer<T> x(n, 1), y(n, 2);
    fill_uniform(x.data(), n, -1, 1);
    copy(x.data(), y.data(), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], x[i]);
  }
}

TYPED_TEST(CopyKernel, TransposesEverySmallShapeBothWays) {
  using T = TypeParam;
  on_every_target([] {
    for (std::ptrdiff_t rows = 0; rows <= 35; ++rows) {
      for (std::ptrdiff_t columns = 0; columns <= 35; ++columns) {
        expect_copied<T>(rows, columns, {1, rows}, {columns, 1});
        expect_copied<T>(rows, columns, {columns, 1}, {1, rows}, 2);
        expect_copied<T>(rows, columns, {1, rows + 3}, {columns + 5, 1}, 0);
      }
    }
  });
}

TYPED_TEST(CopyKernel, AnyStridesAndRepeatedItems) {
  using T = TypeParam;
  on_every_target([] {
    for (const std::ptrdiff_t rows : {1, 2, 7, 40}) {
      for (const std::ptrdiff_t columns : {1, 3, 16, 50}) {
        expect_copied<T>(rows, columns, {columns, 1}, {columns, 1});
        expect_copied<T>(rows, columns, {columns, 1}, {columns + 4, 1});
        expect_copied<T>(rows, columns, {0, 1}, {columns, 1});
        expect_copied<T>(rows, columns, {1, 0}, {columns, 1});
        expect_copied<T>(rows, columns, {0, 0}, {columns, 1});
        expect_copied<T>(rows, columns, {2, 2 * rows}, {columns, 1});
        expect_copied<T>(rows, columns, {3 * columns, 3}, {2 * columns, 2});
      }
    }
  });
}

TYPED_TEST(CopyKernel, LargeTransposesOnTwoThreads) {
  using T = TypeParam;
  ThreadScope scope(2);
  on_every_target([] {
    expect_copied<T>(301, 517, {1, 301}, {517, 1});
    expect_copied<T>(512, 512, {1, 512}, {512, 1});
    expect_copied<T>(1, 200001, {0, 2}, {0, 1});
  });
}

}  // namespace
}  // namespace heed::kernels
