// SPDX-License-Identifier: Apache-2.0
#include "heed/models/point_transformer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/models/point_model_testing.h"

namespace heed::models {
namespace {

// u = 10 tanh(s): scores stay within 10 however large the weights are.
TEST(PointTransformer, CapsItsScores) {
  const NoGradient values_only;
  Random random(6);
  PointTransformer model({.width = 8, .least = 1, .heads = 2, .inner = 8}, random);
  for (nn::Parameter& parameter : nn::parameters(model)) {
    if (parameter.name != "keys.weight") continue;
    Real* values = parameter.variable.mutable_value().mutable_data();
    for (std::int64_t i = 0; i < parameter.variable.value().size(); ++i) values[i] *= 1000;
  }
  const Encoded encoded = model.read(Variable(testing::random_points(3, 4, 2, random)), {});
  const Tensor logits = model.decode(encoded, Ids::full({3, 1}, 1), {}).value();
  double largest = 0;
  for (const Real logit : logits.values()) {
    if (!std::isinf(logit)) largest = std::max(largest, static_cast<double>(std::abs(logit)));
  }
  EXPECT_GT(largest, 9);
  EXPECT_LE(largest, 10.00001);
}

// Its context is the mean, the first and the last point: the way between does not matter.
TEST(PointTransformer, RemembersTheFirstAndTheLastPointOnly) {
  const NoGradient values_only;
  Random random(6);
  const PointTransformer model({.width = 8, .least = 1, .heads = 2, .inner = 8}, random);
  const Encoded encoded = model.read(Variable(testing::random_points(1, 5, 2, random)), {});
  const auto fourth = [&](std::vector<std::int32_t> choices) {
    return model.decode(encoded, Ids::of({1, 5}, choices), {}).value().select(0, 4).values();
  };
  const std::vector<Real> one = fourth({1, 2, 3, 4, 5});
  EXPECT_EQ(one, fourth({1, 3, 2, 4, 5}));
  const std::vector<Real> other = fourth({2, 1, 3, 4, 5});
  EXPECT_GT(std::abs(one[5] - other[5]), 1e-5);
}

}  // namespace
}  // namespace heed::models
