// SPDX-License-Identifier: Apache-2.0
// The additive op: features beside keys, and shapes it refuses.
#include "heed/attention/scores/additive_scores.h"

#include <gtest/gtest.h>

#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(WithFeatures, AddsEachHeadsFeaturesToTheKeysOfItsGroup) {
  const Variable keys(Tensor::of({1, 2, 1, 1}, {10, 20}));
  const Variable features(Tensor::of({1, 4, 1, 1}, {1, 2, 3, 4}));
  expect_near(with_features(keys, features).value(), Tensor::of({1, 4, 1, 1}, {11, 12, 23, 24}), 0);
}

TEST(AdditiveScores, AreVTimesTheSumWithoutAnActivation) {
  const Variable query(Tensor::of({1, 1, 1, 2}, {1, 2}));
  const Variable keys(Tensor::of({1, 1, 2, 2}, {1, 1, 0, -2}));
  const Variable v(Tensor::of({2}, {1, 10}));
  expect_near(additive_scores(query, keys, v, Activation::none).value(),
              Tensor::of({1, 1, 1, 2}, {32, 1}), 0);
}

TEST(AdditiveScores, RefuseSizesThatDiffer) {
  const auto zeros = [](const Shape& shape) { return Variable(Tensor::zeros(shape)); };
  EXPECT_EQ(
      message_of([&] {
        additive_scores(zeros({1, 1, 1, 2}), zeros({1, 1, 1, 3}), zeros({2}), Activation::tanh);
      }),
      "additive score: query [1,1,1,2], keys [1,1,1,3] and v [2]; it takes [B,H,Q,S], "
      "[B,G,K,S] with H a multiple of G, and [H,S]");
}

}  // namespace
}  // namespace heed::attention
