// SPDX-License-Identifier: Apache-2.0
// Identity: scores and gradients pass unchanged.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Identity, PassesScoresAndGradientsOn) {
  const auto part = normaliser("identity");
  expect_all_near(weights_of(*part, {-1, 3, 1e30}), {-1, 3, 1e30}, 0);
  expect_all_near(gradient_of(*part, {-1, 3}, {0.5, -7}), {0.5, -7}, 0);
}

}  // namespace
}  // namespace heed::attention
