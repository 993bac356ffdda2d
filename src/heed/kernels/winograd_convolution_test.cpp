// SPDX-License-Identifier: Apache-2.0
// Convolutions by transforms against their definition, on every CPU target.
#include "heed/kernels/winograd_convolution.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/kernels/convolution_testing.h"

namespace heed::kernels {
namespace {

std::vector<ConvolutionCase> winograd_cases() {
  std::vector<ConvolutionCase> cases;
  for (const std::size_t padding : {0, 1, 2}) {
    for (const std::size_t height : {3, 8}) {
      for (const std::size_t width : {3, 31, 64}) {
        const Window window{.images = 2,
                            .channels = 8 + padding,
                            .height = height,
                            .width = width,
                            .kernel_height = 3,
                            .kernel_width = 3,
                            .padding_height = padding,
                            .padding_width = padding};
        cases.push_back({window, width == 31 ? 21u : 8u});
      }
    }
  }
  cases.push_back({{.images = 3,
                    .channels = 9,
                    .height = 5,
                    .width = 7,
                    .kernel_height = 3,
                    .kernel_width = 3,
                    .padding_height = 2,
                    .padding_width = 0},
                   70});
  return cases;
}

template <typename T>
constexpr ConvolutionWay<T> kByTransforms{winograd_convolution<T>, winograd_convolution_images<T>,
                                          winograd_convolution_weights<T>, 3};

template <typename T>
class WinogradConvolutions : public ::testing::Test {};
using WinogradTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(WinogradConvolutions, WinogradTypes);

TYPED_TEST(WinogradConvolutions, AreTheirDefinition) {
  on_every_target([] {
    for (const ConvolutionCase& one : winograd_cases()) {
      ASSERT_TRUE(is_winograd(one.window, one.outputs));
      expect_definition(one, kByTransforms<TypeParam>);
    }
  });
}

TYPED_TEST(WinogradConvolutions, AreAlikeOnSeveralThreads) {
  expect_alike_on_several_threads(kByTransforms<TypeParam>);
}

TEST(IsWinograd, OfWindowsOfThreeWithChannelsEnough) {
  const Window window{
      .channels = 8, .height = 9, .width = 9, .kernel_height = 3, .kernel_width = 3};
  EXPECT_TRUE(is_winograd(window, 8));
  EXPECT_FALSE(is_winograd(window, 7));
  Window other = window;
  other.dilation_width = 2;
  EXPECT_FALSE(is_winograd(other, 8));
  other = window;
  other.kernel_width = 5;
  EXPECT_FALSE(is_winograd(other, 8));
}

}  // namespace
}  // namespace heed::kernels
