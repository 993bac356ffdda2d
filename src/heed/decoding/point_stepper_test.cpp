// SPDX-License-Identifier: Apache-2.0
// Choices as tokens, and rows that move.
#include "heed/decoding/point_stepper.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/nn/initialisers.h"

namespace heed::decoding {
namespace {

std::unique_ptr<models::PointModel> small_pointer(Random& random) {
  return models::make_point_model({.width = 8, .least = 2}, random);
}

TEST(PointStepper, GivesEachChoiceItsTokenAndNothingToOthers) {
  Random random(2);
  const auto model = small_pointer(random);
  const Tensor points = nn::uniform({2, 3, 2}, random, 0, 1);
  PointStepper stepper(*model, points);
  EXPECT_EQ(stepper.rows(), 2);
  EXPECT_EQ(stepper.longest(), 4);
  const Tensor found = stepper.step(Ids::full({2}, text::kBegin), nullptr);
  ASSERT_EQ(found.shape(), Shape({2, text::kFirstPiece + 3}));
  const NoGradient values_only;
  const Tensor wanted =
      log_softmax(model->decode(model->read(Variable(points), {}), Ids::full({2, 1}, 1), {}))
          .value();
  for (std::int64_t n = 0; n < 2; ++n) {
    for (const text::Token token : {text::kPadding, text::kUnknown, text::kBegin, text::kEnd}) {
      EXPECT_TRUE(std::isinf(found.at({n, token})));
    }
    for (std::int64_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.at({n, text::kFirstPiece + i}), wanted.at({n, 1 + i}), 1e-5);
    }
  }
}

TEST(PointStepper, GoesOnWithTheRowsThatSurvive) {
  Random random(2);
  const auto model = small_pointer(random);
  const Tensor points = nn::uniform({3, 4, 2}, random, 0, 1);
  PointStepper all(*model, points);
  all.step(Ids::full({3}, text::kBegin), nullptr);
  PointStepper last(*model, points.slice(0, 2, 3).packed());
  last.step(Ids::full({1}, text::kBegin), nullptr);
  all.reorder(Ids::of({2}, {2, 0}));
  EXPECT_EQ(all.rows(), 2);
  const text::Token second = text::kFirstPiece + 1;
  const Tensor both = all.step(Ids::full({2}, second), nullptr);
  const Tensor alone = last.step(Ids::full({1}, second), nullptr);
  for (std::int64_t token = text::kFirstPiece; token < both.size(1); ++token) {
    if (token == second) continue;
    EXPECT_NEAR(both.at({0, token}), alone.at({0, token}), 1e-5);
  }
  EXPECT_TRUE(std::isinf(both.at({0, second})));  // used
}

TEST(PointStepper, DrawsValidOutputsOnly) {
  Random random(2);
  const auto model = small_pointer(random);
  PointStepper stepper(*model, nn::uniform({20, 4, 2}, random, 0, 1));
  for (const auto& drawn : sample(stepper, {.constraints = point_constraints(4)}, random)) {
    std::vector<int> route = route_of(drawn.front());
    EXPECT_TRUE(drawn.front().finished);
    EXPECT_GE(route.size(), 2u);
    std::ranges::sort(route);
    EXPECT_TRUE(std::ranges::adjacent_find(route) == route.end());
    EXPECT_GE(route.front(), 0);
    EXPECT_LT(route.back(), 4);
  }
}

}  // namespace
}  // namespace heed::decoding
