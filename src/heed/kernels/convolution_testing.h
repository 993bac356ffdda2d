// SPDX-License-Identifier: Apache-2.0
// For tests of convolutions: their definition, and a way to convolve held against it.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/direct_convolution.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {

struct ConvolutionCase {
  Window window;
  std::size_t outputs;
};

// Every product of the definition: visits (y, image, weight) indices.
template <typename Visit>
void for_each_convolved_product(const ConvolutionCase& one, const Visit& visit) {
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
void expect_convolved(GuardedBuffer<T>& found, const std::vector<double>& expected, double scale) {
  const double bound = (sizeof(T) == 4 ? 2e-6 : 1e-14) * scale;
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], bound) << i;
}

// One way to convolve: forward, gradients of images and of weights; it errs by `rounding` times as
// much as sums in the order of the definition.
template <typename T>
struct ConvolutionWay {
  void (*forward)(const DirectConvolution<T>&, T*) noexcept;
  void (*of_images)(const DirectConvolution<T>&, const T*, T*) noexcept;
  void (*of_weights)(const DirectConvolution<T>&, const T*, T*) noexcept;
  double rounding = 1;
};

template <typename T>
void expect_definition(const ConvolutionCase& one, const ConvolutionWay<T>& way) {
  const Window& w = one.window;
  const std::size_t image_size = w.images * w.channels * w.height * w.width;
  const std::size_t weight_size = one.outputs * w.channels * w.kernel_height * w.kernel_width;
  const std::size_t area = w.out_height() * w.out_width();
  const std::size_t y_size = w.images * one.outputs * area;
  SCOPED_TRACE(::testing::Message()
               << w.height << " x " << w.width << ", window " << w.kernel_height << " x "
               << w.kernel_width << ", padding " << w.padding_width << ", " << w.channels << " to "
               << one.outputs);
  GuardedBuffer<T> images(image_size, 1), weights(weight_size, 3), bias(one.outputs, 2);
  GuardedBuffer<T> y(y_size, 5), dy(y_size, 7), dimages(image_size, 2), dweights(weight_size);
  fill_uniform(images.data(), image_size, -1, 1, 1);
  fill_uniform(weights.data(), weight_size, -1, 1, 2);
  fill_uniform(bias.data(), one.outputs, -1, 1, 3);
  fill_uniform(dy.data(), y_size, -1, 1, 4);
  std::vector<double> expected(y_size), by_image(image_size), by_weight(weight_size);
  for (std::size_t i = 0; i < y_size; ++i) expected[i] = bias[i / area % one.outputs];
  for_each_convolved_product(one, [&](std::size_t out, std::size_t in, std::size_t weight) {
    expected[out] += static_cast<double>(images[in]) * weights[weight];
    by_image[in] += static_cast<double>(dy[out]) * weights[weight];
    by_weight[weight] += static_cast<double>(dy[out]) * images[in];
  });
  const DirectConvolution<T> call{.window = w,
                                  .outputs = one.outputs,
                                  .images = images.data(),
                                  .weights = weights.data(),
                                  .bias = bias.data()};
  way.forward(call, y.data());
  expect_convolved(y, expected, 20 * way.rounding);
  way.of_images(call, dy.data(), dimages.data());
  expect_convolved(dimages, by_image, 20 * way.rounding);
  way.of_weights(call, dy.data(), dweights.data());
  expect_convolved(dweights, by_weight, 60 * way.rounding);
}

template <typename T>
void expect_alike_on_several_threads(const ConvolutionWay<T>& way) {
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
    way.forward(call, one.data());
    way.of_weights(call, dy.data(), dw_one.data());
  }
  const ThreadScope scope(3);
  way.forward(call, two.data());
  way.of_weights(call, dy.data(), dw_two.data());
  for (std::size_t i = 0; i < 2 * image_size; ++i) ASSERT_EQ(one[i], two[i]) << i;
  for (std::size_t i = 0; i < weight_size; ++i) {
    ASSERT_NEAR(dw_one[i], dw_two[i], sizeof(T) == 4 ? 2e-4 : 1e-12) << i;
  }
}

}  // namespace heed::kernels
