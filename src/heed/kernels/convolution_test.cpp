// SPDX-License-Identifier: Apache-2.0
// Columns and pooling against their definitions, cell by cell, over many window shapes.
#include "heed/kernels/convolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

// Every combination of small kernels, strides, paddings and dilations whose window fits.
std::vector<Window> windows() {
  std::vector<Window> all;
  for (const std::size_t kernel : {1, 2, 3}) {
    for (const std::size_t stride : {1, 2, 3}) {
      for (const std::size_t padding : {0, 1, 3}) {
        for (const std::size_t dilation : {1, 2}) {
          const Window two_dimensions{.images = 2,
                                      .channels = 3,
                                      .height = 7,
                                      .width = 19,
                                      .kernel_height = 4 - kernel,
                                      .kernel_width = kernel,
                                      .stride_height = 4 - stride,
                                      .stride_width = stride,
                                      .padding_height = padding / 2,
                                      .padding_width = padding,
                                      .dilation_height = 3 - dilation,
                                      .dilation_width = dilation};
          const Window one_dimension{.images = 2,
                                     .channels = 2,
                                     .width = 37,
                                     .kernel_width = kernel,
                                     .stride_width = stride,
                                     .padding_width = padding,
                                     .dilation_width = dilation};
          all.push_back(two_dimensions);
          all.push_back(one_dimension);
        }
      }
    }
  }
  return all;
}

std::size_t planes(const Window& w) {
  return w.images * w.channels;
}
std::size_t area(const Window& w) {
  return w.height * w.width;
}
std::size_t out_area(const Window& w) {
  return w.out_height() * w.out_width();
}
std::size_t cells(const Window& w) {
  return w.kernel_height * w.kernel_width;
}

// The index in its H x W plane of what cell `cell` of the window sees at place `place`; nothing
// when that is padding.
std::optional<std::size_t> seen(const Window& w, std::size_t cell, std::size_t place) {
  const auto at = [](std::size_t p, std::size_t stride, std::size_t k, std::size_t dilation,
                     std::size_t padding) {
    return static_cast<long>(p * stride + k * dilation) - static_cast<long>(padding);
  };
  const long row = at(place / w.out_width(), w.stride_height, cell / w.kernel_width,
                      w.dilation_height, w.padding_height);
  const long column = at(place % w.out_width(), w.stride_width, cell % w.kernel_width,
                         w.dilation_width, w.padding_width);
  if (row < 0 || row >= static_cast<long>(w.height)) return std::nullopt;
  if (column < 0 || column >= static_cast<long>(w.width)) return std::nullopt;
  return row * w.width + column;
}

// Small whole numbers, so that sums are exact in any order.
template <typename T>
void fill(GuardedBuffer<T>& buffer, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    buffer[i] = static_cast<T>(random.integer(200)) - 100;
  }
}

template <typename T>
class Convolution : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Convolution, Scalars);

TEST(Window, CountsItsPlaces) {
  EXPECT_EQ((Window{.width = 5, .kernel_width = 3}.out_width()), 3u);
  EXPECT_EQ((Window{.width = 5, .kernel_width = 3, .stride_width = 2}.out_width()), 2u);
  EXPECT_EQ((Window{.width = 5, .kernel_width = 3, .padding_width = 1}.out_width()), 5u);
  EXPECT_EQ((Window{.width = 5, .kernel_width = 3, .dilation_width = 2}.out_width()), 1u);
  EXPECT_EQ((Window{.width = 5, .kernel_width = 3, .dilation_width = 3}.out_width()), 0u);
}

TYPED_TEST(Convolution, ColumnsHoldWhatEachCellOfTheWindowSees) {
  for (const Window& w : windows()) {
    GuardedBuffer<TypeParam> images(planes(w) * area(w), 1);
    GuardedBuffer<TypeParam> columns(planes(w) * cells(w) * out_area(w), 3);
    fill(images, 1);
    im2col(images.data(), w, columns.data());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t row = i / out_area(w);
      const auto at = seen(w, row % cells(w), i % out_area(w));
      ASSERT_EQ(columns[i], at ? images[row / cells(w) * area(w) + *at] : 0);
    }
  }
}

TYPED_TEST(Convolution, ColumnsAreAddedBackToWhereTheyWereRead) {
  for (const Window& w : windows()) {
    GuardedBuffer<TypeParam> images(planes(w) * area(w), 1);
    GuardedBuffer<TypeParam> columns(planes(w) * cells(w) * out_area(w), 2);
    fill(images, 1);
    fill(columns, 2);
    std::vector<TypeParam> expected(images.data(), images.data() + images.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t row = i / out_area(w);
      const auto at = seen(w, row % cells(w), i % out_area(w));
      if (at) expected[row / cells(w) * area(w) + *at] += columns[i];
    }
    col2im(columns.data(), w, images.data());
    for (std::size_t i = 0; i < images.size(); ++i) ASSERT_EQ(images[i], expected[i]);
  }
}

TYPED_TEST(Convolution, MaxPoolTakesTheLargestCellAndSendsTheGradientThere) {
  for (const Window& w : windows()) {
    GuardedBuffer<TypeParam> images(planes(w) * area(w), 1), dimages(planes(w) * area(w), 2);
    GuardedBuffer<TypeParam> y(planes(w) * out_area(w), 3), dy(planes(w) * out_area(w));
    GuardedBuffer<std::int32_t> argmax(planes(w) * out_area(w), 1);
    fill(images, 3);
    fill(dimages, 4);
    fill(dy, 5);
    std::vector<TypeParam> expected(dimages.data(), dimages.data() + dimages.size());
    max_pool(images.data(), w, y.data(), argmax.data());
    max_pool_backward(dy.data(), argmax.data(), w, dimages.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t start = i / out_area(w) * area(w);
      std::optional<TypeParam> best;
      for (std::size_t cell = 0; cell < cells(w); ++cell) {
        const auto at = seen(w, cell, i % out_area(w));
        if (at && (!best || images[start + *at] > *best)) best = images[start + *at];
      }
      ASSERT_EQ(y[i], best.value_or(0));
      ASSERT_EQ(argmax[i] >= 0, best.has_value());
      if (!best) continue;
      ASSERT_EQ(images[start + argmax[i]], *best);
      expected[start + argmax[i]] += dy[i];
    }
    for (std::size_t i = 0; i < dimages.size(); ++i) ASSERT_EQ(dimages[i], expected[i]);
  }
}

TYPED_TEST(Convolution, MaxPoolPassesNanOnAndTakesMinusInfinityAsANumber) {
  const Window w{.width = 6, .kernel_width = 2, .stride_width = 2};
  const auto nan = static_cast<TypeParam>(NAN);
  const std::vector<TypeParam> x = {nan, 1, -INFINITY, -INFINITY, 1, nan};
  std::vector<TypeParam> y(3);
  std::vector<std::int32_t> argmax(3);
  max_pool(x.data(), w, y.data(), argmax.data());
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(argmax[0], 0);
  EXPECT_EQ(y[1], -INFINITY);
  EXPECT_EQ(argmax[1], 2);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(argmax[2], 5);
}

TYPED_TEST(Convolution, AveragePoolDividesByTheCellsThatAreNotPadding) {
  for (const Window& w : windows()) {
    GuardedBuffer<TypeParam> images(planes(w) * area(w), 1), dimages(planes(w) * area(w), 2);
    GuardedBuffer<TypeParam> y(planes(w) * out_area(w), 3), dy(planes(w) * out_area(w));
    fill(images, 3);
    fill(dimages, 4);
    fill(dy, 5);
    std::vector<double> expected(dimages.data(), dimages.data() + dimages.size());
    average_pool(images.data(), w, y.data());
    average_pool_backward(dy.data(), w, dimages.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t start = i / out_area(w) * area(w);
      std::vector<std::size_t> inside;
      for (std::size_t cell = 0; cell < cells(w); ++cell) {
        const auto at = seen(w, cell, i % out_area(w));
        if (at) inside.push_back(start + *at);
      }
      double sum = 0;
      for (const std::size_t at : inside) sum += images[at];
      for (const std::size_t at : inside) expected[at] += double{dy[i]} / inside.size();
      ASSERT_NEAR(y[i], inside.empty() ? 0 : sum / inside.size(), 2e-5);
    }
    for (std::size_t i = 0; i < dimages.size(); ++i) ASSERT_NEAR(dimages[i], expected[i], 2e-4);
  }
}

TYPED_TEST(Convolution, GivesTheSameBitsWhateverTheThreadCount) {
  const Window w{.images = 3,
                 .channels = 5,
                 .height = 40,
                 .width = 41,
                 .kernel_height = 3,
                 .kernel_width = 3,
                 .padding_height = 1,
                 .padding_width = 1};
  GuardedBuffer<TypeParam> images(planes(w) * area(w));
  fill(images, 1);
  std::vector<std::vector<TypeParam>> results;
  for (const int count : {1, 2}) {
    ThreadScope scope(count);
    std::vector<TypeParam> columns(planes(w) * cells(w) * out_area(w)), back(images.size());
    std::vector<TypeParam> mean(planes(w) * out_area(w)), largest(mean.size());
    std::vector<std::int32_t> argmax(mean.size());
    im2col(images.data(), w, columns.data());
    col2im(columns.data(), w, back.data());
    average_pool(images.data(), w, mean.data());
    average_pool_backward(mean.data(), w, back.data());
    max_pool(images.data(), w, largest.data(), argmax.data());
    max_pool_backward(largest.data(), argmax.data(), w, back.data());
    results.insert(results.end(), {columns, back, mean, largest});
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(results[i], results[i + 4]);
}

}  // namespace
}  // namespace heed::kernels
