// SPDX-License-Identifier: Apache-2.0
#include "heed/training/ema.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::training {
namespace {

nn::Parameters two_parameters() {
  return {{"x", Variable::leaf(Tensor::of({2}, {1, -2}))},
          {"y", Variable::leaf(Tensor::of({1, 3}, {0, 4, 8}))}};
}

void set(nn::Parameters& parameters, std::size_t i, std::initializer_list<Real> values) {
  Tensor& value = parameters[i].variable.mutable_value();
  value.assign(Tensor::of(value.shape(), values));
}

TEST(Ema, MovesTowardsTheParametersByOneLessTheDecay) {
  nn::Parameters parameters = two_parameters();
  Ema average(parameters, 0.9);
  set(parameters, 0, {11, -2});
  average.update(1'000'000);
  EXPECT_NEAR(average.state().at("x").values()[0], 2, 1e-6);  // 0.9 * 1 + 0.1 * 11
  average.update(1'000'000);
  EXPECT_NEAR(average.state().at("x").values()[0], 2.9, 1e-6);
  EXPECT_EQ(average.state().at("x").values()[1], -2);
}

TEST(Ema, ForgetsTheBeginningFast) {
  nn::Parameters parameters = two_parameters();
  Ema average(parameters, 0.999);
  set(parameters, 0, {12, -2});
  average.update(1);  // the decay is 2 / 11 yet
  EXPECT_NEAR(average.state().at("x").values()[0], 10, 1e-5);
}

TEST(Ema, StandsInForTheParametersWithinAScope) {
  nn::Parameters parameters = two_parameters();
  const Variable seen_by_the_model = parameters[0].variable;
  Ema average(parameters, 0.5);
  set(parameters, 0, {0.1F, 0.3F});
  average.update(100);
  const std::vector<Real> latest = parameters[0].variable.value().values();
  const std::vector<Real> averaged = average.state().at("x").values();
  {
    const EmaScope scope(&average);
    EXPECT_EQ(seen_by_the_model.value().values(), averaged);
  }
  EXPECT_EQ(seen_by_the_model.value().values(), latest);
  EXPECT_EQ(average.state().at("x").values(), averaged);
  const EmaScope nothing(nullptr);
  EXPECT_EQ(seen_by_the_model.value().values(), latest);
}

TEST(Ema, GoesOnToTheSameBitsFromItsSavedState) {
  nn::Parameters parameters = two_parameters();
  Ema whole(parameters, 0.9);
  set(parameters, 1, {1, 2, 3});
  whole.update(1);
  Ema resumed(two_parameters(), 0.9);
  resumed.restore(whole.state());
  EXPECT_EQ(resumed.state().at("y").values(), whole.state().at("y").values());
}

TEST(Ema, RefusesForeignStateAndDecaysOutOfRange) {
  Ema average(two_parameters(), 0.9);
  EXPECT_THROW(average.restore({}), DataError);
  auto state = average.state();
  state["x"] = Tensor::zeros({3});
  EXPECT_THROW(average.restore(state), DataError);
  state = average.state();
  state["z"] = Tensor::zeros({3});
  EXPECT_THROW(average.restore(state), DataError);
  EXPECT_THROW(Ema({}, 1), UsageError);
  EXPECT_THROW(Ema({}, 0), UsageError);
}

}  // namespace
}  // namespace heed::training
