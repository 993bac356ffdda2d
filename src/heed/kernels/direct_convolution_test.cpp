// SPDX-License-Identifier: Apache-2.0
// Direct convolutions against their definition, on every CPU target.
#include "heed/kernels/direct_convolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

struct DirectCase {
  Window window;
  std::size_t outputs;
};

std::vector<DirectCase> direct_cases() {
  std::vector<DirectCase> cases;
  for (const std::size_t kernel : {1, 2, 3, 5}) {
    for (const std::size_t padding : {0, 1, 2}) {
      for (const std::size_t dilation : {1, 2}) {
        const Window plane{.images = 3,
                           .channels = kernel,
                           .height = 9,
                           .width = 11 + 3 * padding,
                           .kernel_height = kernel,
                           .kernel_width = kernel == 2 ? 3 : kernel,
                           .padding_height = padding,
                           .padding_width = padding,
                           .dilation_height = dilation};
        const Window line{.images = 2,
                          .channels = 2,
                          .width = 67,
                          .kernel_width = kernel,
                          .padding_width = padding,
                          .dilation_width = dilation};
        for (const Window& window : {plane, line}) {
          if (is_direct(window)) cases.push_back({window, 2 * kernel + 7 * padding});
        }
      }
    }
  }
  return cases;
}

// Every product of the definition: visits (y, image, weight) indices.
template <typename Visit>
void for_each_product(const DirectCase& one, const Visit& visit) {
  const Window& w = one.window;
  const std::size_t rows = w.out_height(), columns = w.out_width();
  for (std::size_t n = 0; n < w.images; ++n) {
    for (std::size_t o = 0; o < one.outputs; ++o) {
      for (std::size_t c = 0; c < w.channels; ++c) {
        for (std::size_t place = 0; place < rows * columns; ++place) {
          for (std::size_t cell = 0; cell < w.kernel_height * w.kernel_width; ++cell) {
            const std::size_t y =
                place / columns + cell / w.kernel_width * w.dilation_height - w.padding_height;
            const std::size_t x =
                place % columns + cell % w.kernel_width * w.dilation_width - w.padding_width;
            if (y >= w.height || x >= w.width) continue;  // unsigned: below 0 as well
            visit((n * one.outputs + o) * rows * columns + place,
                  ((n * w.channels + c) * w.height + y) * w.width + x,
                  (o * w.channels + c) * w.kernel_height * w.kernel_width + cell);
          }
        }
      }
    }
  }
}

template <typename T>
class DirectConvolutions : public ::testing::Test {};
using DirectTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DirectConvolutions, DirectTypes);

template <typename T>
void expect_near(GuardedBuffer<T>& found, const std::vector<double>& expected, double scale) {
  const double bound = (sizeof(T) == 4 ? 2e-6 : 1e-14) * scale;
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], bound) << i;
}

TYPED_TEST(DirectConvolutions, AreTheirDefinition) {
  using T = TypeParam;
  on_every_target([] {
    for (const DirectCase& one : direct_cases()) {
      const Window& w = one.window;
      const std::size_t image_size = w.images * w.channels * w.height * w.width;
      const std::size_t weight_size = one.outputs * w.channels * w.kernel_height * w.kernel_width;
      const std::size_t area = w.out_height() * w.out_width();
      const std::size_t y_size = w.images * one.outputs * area;
      SCOPED_TRACE(testing::Message() << w.height << " x " << w.width << ", window "
                                      << w.kernel_height << " x " << w.kernel_width << ", padding "
                                      << w.padding_width << ", " << one.outputs << " outputs");
      GuardedBuffer<T> images(image_size, 1), weights(weight_size, 3), bias(one.outputs, 2);
      GuardedBuffer<T> y(y_size, 5), dy(y_size, 7), dimages(image_size, 2), dweights(weight_size);
      fill_uniform(images.data(), image_size, -1, 1, 1);
      fill_uniform(weights.data(), weight_size, -1, 1, 2);
      fill_uniform(bias.data(), one.outputs, -1, 1, 3);
      fill_uniform(dy.data(), y_size, -1, 1, 4);
      std::vector<double> expected(y_size), by_image(image_size), by_weight(weight_size);
      for (std::size_t i = 0; i < y_size; ++i) expected[i] = bias[i / area % one.outputs];
      for_each_product(one, [&](std::size_t out, std::size_t in, std::size_t weight) {
        expected[out] += static_cast<double>(images[in]) * weights[weight];
        by_image[in] += static_cast<double>(dy[out]) * weights[weight];
        by_weight[weight] += static_cast<double>(dy[out]) * images[in];
      });
      const DirectConvolution<T> call{.window = w,
                                      .outputs = one.outputs,
                                      .images = images.data(),
                                      .weights = weights.data(),
                                      .bias = bias.data()};
      direct_convolution(call, y.data());
      expect_near(y, expected, 20);
      direct_convolution_images(call, dy.data(), dimages.data());
      expect_near(dimages, by_image, 20);
      direct_convolution_weights(call, dy.data(), dweights.data());
      expect_near(dweights, by_weight, 60);
    }
  });
}

TYPED_TEST(DirectConvolutions, AreAlikeOnSeveralThreads) {
  using T = TypeParam;
  const Window window{.images = 9,
                      .channels = 8,
                      .height = 24,
                      .width = 24,
                      .kernel_height = 3,
                      .kernel_width = 3,
                      .padding_height = 1,
                      .padding_width = 1};
  const std::size_t image_size = 9 * 8 * 24 * 24, outputs = 16, weight_size = outputs * 8 * 9;
  GuardedBuffer<T> images(image_size), weights(weight_size), dy(2 * image_size);
  fill_uniform(images.data(), image_size, -1, 1, 1);
  fill_uniform(weights.data(), weight_size, -1, 1, 2);
  fill_uniform(dy.data(), 2 * image_size, -1, 1, 3);
  const DirectConvolution<T> call{
      .window = window, .outputs = outputs, .images = images.data(), .weights = weights.data()};
  GuardedBuffer<T> one(2 * image_size), two(2 * image_size), dw_one(weight_size),
      dw_two(weight_size);
  {
    const ThreadScope scope(1);
    direct_convolution(call, one.data());
    direct_convolution_weights(call, dy.data(), dw_one.data());
  }
  const ThreadScope scope(3);
  direct_convolution(call, two.data());
  direct_convolution_weights(call, dy.data(), dw_two.data());
  for (std::size_t i = 0; i < 2 * image_size; ++i) ASSERT_EQ(one[i], two[i]) << i;
  for (std::size_t i = 0; i < weight_size; ++i) {
    ASSERT_NEAR(dw_one[i], dw_two[i], sizeof(T) == 4 ? 2e-4 : 1e-12) << i;
  }
}

TEST(IsDirect, OfWindowsThatMoveByOne) {
  EXPECT_TRUE(is_direct({.kernel_width = 3, .padding_width = 2}));
  EXPECT_FALSE(is_direct({.kernel_width = 3, .padding_width = 3}));
  EXPECT_FALSE(is_direct({.kernel_width = 3, .stride_width = 2}));
}

}  // namespace
}  // namespace heed::kernels
