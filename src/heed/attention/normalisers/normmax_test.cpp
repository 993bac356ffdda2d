// SPDX-License-Identifier: Apache-2.0
// Normmax: golden vectors and the worked example.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Normmax, AgreesWithTheGoldenVectors) {
  expect_golden(*normaliser("normmax"), golden().at("normmax_2"));
}

TEST(Normmax, GivesTheWorkedExample) {
  expect_all_near(weights_of(*normaliser("normmax"), {-2, 0, 0.5}), {0, 0.3110, 0.6890}, 5e-5);
}

TEST(Normmax, RefusesTheNormOfAlphaOne) {
  EXPECT_THROW(normaliser("normmax", {{"alpha", "1"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
