// SPDX-License-Identifier: Apache-2.0
// Direct convolutions against their definition, on every CPU target.
#include "heed/kernels/direct_convolution.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/kernels/convolution_testing.h"

namespace heed::kernels {
namespace {

std::vector<ConvolutionCase> direct_cases() {
  std::vector<ConvolutionCase> cases;
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

template <typename T>
constexpr ConvolutionWay<T> kDirectly{direct_convolution<T>, direct_convolution_images<T>,
                                      direct_convolution_weights<T>};
template <typename T>
class DirectConvolutions : public ::testing::Test {};
using DirectTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DirectConvolutions, DirectTypes);

TYPED_TEST(DirectConvolutions, AreTheirDefinition) {
  on_every_target([] {
    for (const ConvolutionCase& one : direct_cases()) expect_definition(one, kDirectly<TypeParam>);
  });
}

TYPED_TEST(DirectConvolutions, AreAlikeOnSeveralThreads) {
  expect_alike_on_several_threads(kDirectly<TypeParam>);
}

TEST(IsDirect, OfWindowsThatMoveByOne) {
  EXPECT_TRUE(is_direct({.kernel_width = 3, .padding_width = 2}));
  EXPECT_FALSE(is_direct({.kernel_width = 3, .padding_width = 3}));
  EXPECT_FALSE(is_direct({.kernel_width = 3, .stride_width = 2}));
}

}  // namespace
}  // namespace heed::kernels
