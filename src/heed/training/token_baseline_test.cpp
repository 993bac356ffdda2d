// SPDX-License-Identifier: Apache-2.0
// What tokens let expect: by the formula, and learnt until it is right.
#include "heed/training/token_baseline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/tensor/testing.h"

namespace heed::training {
namespace {

using heed::testing::expect_near;

const models::Sequences kTwoTexts{Ids::of({2, 3}, {1, 2, 2, 4, 0, 0}), Ids::of({2}, {3, 1})};

TEST(TokenBaseline, IsAConstantAndAWeightForEachToken) {
  const Tensor weights = Tensor::of({4}, {5, 100, 1, 2});  // of tokens 0 to 2; 4 is not known yet
  expect_near(expected_by_tokens(weights, kTwoTexts),
              Tensor::of({2}, {static_cast<Real>(5 + 5 / std::sqrt(3.0)), 5}), 1e-6);
  expect_near(expected_by_tokens({}, kTwoTexts), Tensor::zeros({2}), 0);
}

TEST(TokenBaseline, LearnsWhichTextsCostMore) {
  Tensor weights;
  const Tensor losses = Tensor::of({2}, {2, 10});
  weights = taught_by_tokens(weights, kTwoTexts, losses);
  ASSERT_EQ(weights.shape(), (Shape{6}));
  EXPECT_EQ(weights.at({1}), 0) << "padding is no token";
  for (int batch = 0; batch < 1500; ++batch) weights = taught_by_tokens(weights, kTwoTexts, losses);
  expect_near(expected_by_tokens(weights, kTwoTexts), losses, 1e-3);
  const models::Sequences unknown{Ids::of({1, 1}, {50}), Ids::of({1}, {1})};
  const Real before = expected_by_tokens(weights, unknown).item();
  for (int batch = 0; batch < 100; ++batch) {
    weights = taught_by_tokens(weights, kTwoTexts, Tensor::of({2}, {11, 19}));
  }
  EXPECT_GT(expected_by_tokens(weights, unknown).item(), before + 2) << "all of them cost more";
}

TEST(TokenBaseline, StaysBoundedWhereATokenComesAgainAndAgain) {
  const models::Sequences same{Ids::of({1, 40}, std::vector<std::int32_t>(40, 3)),
                               Ids::of({1}, {40})};
  Tensor weights;
  for (int batch = 0; batch < 400; ++batch) {
    weights =
        taught_by_tokens(weights, same, Tensor::of({1}, {batch % 2 == 0 ? Real{1} : Real{3}}));
  }
  EXPECT_NEAR(expected_by_tokens(weights, same).item(), 2, 0.5);
}

}  // namespace
}  // namespace heed::training
