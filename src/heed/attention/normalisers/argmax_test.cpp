// SPDX-License-Identifier: Apache-2.0
// Argmax: the first of the best keys, and the straight-through gradient.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Argmax, ChoosesTheFirstOfTheBest) {
  expect_all_near(weights_of(*normaliser("argmax"), {1, 3, 2, 3}), {0, 1, 0, 0}, 0);
}

TEST(Argmax, PassesNoGradientUnlessStraightThrough) {
  expect_all_near(gradient_of(*normaliser("argmax"), {1, 3}, {5, -2}), {0, 0}, 0);
  const auto through = normaliser("argmax", {{"straight-through", "true"}});
  expect_all_near(gradient_of(*through, {1, 3}, {5, -2}), {5, -2}, 0);
}

}  // namespace
}  // namespace heed::attention
