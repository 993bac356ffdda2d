// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "heed/attention/addressing/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(Sharpen, RaisesWeightsToAPowerAndAddsThemUpToOneAgain) {
  expect_near(addressed(*made_addressing("sharpen(power=2)"), {0.6, 0.3, 0.1}),
              Tensor::of({3}, {36.0 / 46, 9.0 / 46, 1.0 / 46}), 1e-6);
}

TEST(Sharpen, DividesByNoSumThatVanishes) {
  // 1e-9 to the 8th power is 0 in float.
  expect_near(addressed(*made_addressing("sharpen(power=8)"), {1e-9, 1e-9, 0}),
              Tensor::of({3}, {0.5, 0.5, 0}), 1e-6);
}

TEST(Sharpen, LeavesARowWithoutWeightAsItIs) {
  expect_near(addressed(*made_addressing("sharpen"), {0, 0}), Tensor::of({2}, {0, 0}), 0);
}

TEST(Sharpen, KeepsAFocusThatShiftsWouldBlur) {
  // Graves 2014, section 3.3.2: 20 shifts of (.1, .1, .8) over 32 slots.
  const auto shift = made_addressing("shift(shares=[0.1, 0.1, 0.8])");
  for (const auto& [power, most] : {std::pair{"1", 0.137016389163}, {"3", 0.995902098311}}) {
    const auto sharpen = made_addressing(std::string("sharpen(power=") + power + ")");
    std::vector<Real> weights(32, 0);
    weights[0] = 1;
    for (int step = 0; step < 20; ++step) {
      weights = addressed(*sharpen, addressed(*shift, weights).values()).values();
    }
    EXPECT_NEAR(*std::ranges::max_element(weights), most, 1e-5) << power;
    if (std::string(power) == "3") {
      EXPECT_NEAR(weights[20], most, 1e-5);
    }
  }
}

// dw = γ w^(γ-1) c / Σ w^γ with c = dy - <y, dy>, dγ = Σ y c log w; by hand for γ = 2, dy =
// (1,0,0).
TEST(Sharpen, HasTheGradientOfAPower) {
  const auto part = made_addressing("sharpen");
  set_parameter(*part, "power.W", Tensor::zeros({1, 3}));
  set_parameter(*part, "power.b", Tensor::of({1}, {0.541324854612918}));  // softplus: 1
  const Variable weights = Variable::leaf(Tensor::of({1, 1, 1, 4}, {0.6, 0.3, 0.1, 0}));
  const Variable query = heed::testing::wavy({1, 1, 1, 3});
  const Variable found = part->address(weights, {.query = query, .state = AttentionState()});
  backward(sum(slice(found, 3, 0, 1)));
  const double c0 = 10.0 / 46, c1 = -36.0 / 46;
  expect_near(
      weights.gradient().reshape({4}),
      Tensor::of({4}, {static_cast<Real>(2 * .6 * c0 / .46), static_cast<Real>(2 * .3 * c1 / .46),
                       static_cast<Real>(2 * .1 * c1 / .46), 0}),
      1e-5);
}

TEST(Sharpen, RefusesNegativeWeightsAndPowersBelowOneAndLetsNaNShow) {
  EXPECT_THROW(addressed(*made_addressing("sharpen(power=2)"), {0.5, -0.5}), UsageError);
  EXPECT_THROW(made_addressing("sharpen(power=0.5)"), UsageError);
  const Tensor seen =
      addressed(*made_addressing("sharpen"), {0.5, std::numeric_limits<Real>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(seen.data()[0]));
}

}  // namespace
}  // namespace heed::attention
