// SPDX-License-Identifier: Apache-2.0
// Sigmoid: each key on its own, at any size of score.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Sigmoid, WeighsEachKeyOnItsOwn) {
  expect_all_near(weights_of(*normaliser("sigmoid"), {0, 2, -2}),
                  {0.5, 0.88079707797788243, 0.11920292202211755}, 1e-15);
}

TEST(Sigmoid, EndsAtZeroAndOne) {
  expect_all_near(weights_of(*normaliser("sigmoid"), {1e30, -1e30}), {1, 0}, 0);
}

TEST(Sigmoid, GivesTheSlopeTimesTheGradient) {
  expect_all_near(gradient_of(*normaliser("sigmoid"), {0, 0}, {1, -2}), {0.25, -0.5}, 1e-15);
}

}  // namespace
}  // namespace heed::attention
