// SPDX-License-Identifier: Apache-2.0
// Glimpses: what they refuse, and that places get an exact zero.
#include "heed/autograd/glimpse.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

TEST(Glimpse, GivesPlacesAGradientOfExactlyZeroAndPixelsTheirShare) {
  const Variable image = Variable::leaf(Tensor::full({1, 4, 4, 1}, 1));
  const Variable place = Variable::leaf(Tensor::of({1, 2}, {0, .1F}));
  const Variable seen = glimpse(image, place, {.size = 1, .scales = 2});
  EXPECT_EQ(seen.value().values(), (std::vector<Real>{1, 1}));
  backward(sum(seen));
  EXPECT_EQ(place.gradient().values(), (std::vector<Real>{0, 0}));
  EXPECT_EQ(image.gradient().at({0, 2, 2, 0}), Real(1.25));
  EXPECT_EQ(image.gradient().at({0, 1, 1, 0}), Real(.25));
  EXPECT_EQ(image.gradient().at({0, 0, 0, 0}), 0);
}

TEST(Glimpse, RefusesShapesThatAreNone) {
  const Variable images = Variable(Tensor::zeros({2, 4, 4, 1}));
  EXPECT_EQ(test::message_of<UsageError>([&] {
              glimpse(images, Variable(Tensor::zeros({3, 2})));
            }),
            "glimpse: images [2,4,4,1], places [3,2]; it takes [B,H,W,C] and [B,2]");
  EXPECT_EQ(test::message_of<UsageError>([&] {
              glimpse(images, Variable(Tensor::zeros({2, 2})), {.scales = 9});
            }),
            "glimpse: 9 scales of 8 cells, each 2 times the last; it takes 1 to 8 scales, a size "
            "and a factor of 1 or more");
  EXPECT_THROW(draw_read(images, Variable(Tensor::zeros({2, 4})), 3), UsageError);
  EXPECT_THROW(draw_read(images, Variable(Tensor::zeros({2, 5})), 1), UsageError);
  const Variable one = Variable(Tensor::zeros({1}));
  EXPECT_THROW(gaussian_filters(one, one, Variable(Tensor::zeros({2})), {}), UsageError);
}

TEST(DrawRead, ReadsNothingBesideTheImage) {
  const Variable images = Variable(Tensor::full({1, 5, 5, 1}, 1));
  const Variable far = Variable(Tensor::of({1, 5}, {50, 0, 0, -2, 0}));
  for (const Real value : draw_read(images, far, 3).value().values()) EXPECT_EQ(value, 0);
  const Variable there = Variable(Tensor::of({1, 5}, {0, 0, 0, -2, 0}));
  for (const Real value : draw_read(images, there, 3).value().values()) EXPECT_NEAR(value, 1, 1e-5);
}

}  // namespace
}  // namespace heed
