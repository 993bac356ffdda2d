// SPDX-License-Identifier: Apache-2.0
// Rollout and distances by hand.
#include "heed/insight/trace/rollout.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

TEST(AttentionRollout, IsTheProductOfLayersWithTheWayAround) {
  // Token 0 looks at 1, 1 at itself; then 0 looks at 1 again.
  const Tensor layer = Tensor::of({1, 2, 2}, {0, 1, 0, 1});
  const Tensor once = attention_rollout(std::array{layer});
  EXPECT_FLOAT_EQ(once.at({0, 0}), .5f);
  EXPECT_FLOAT_EQ(once.at({1, 1}), 1);
  const Tensor twice = attention_rollout(std::array{layer, layer});
  EXPECT_FLOAT_EQ(twice.at({0, 0}), .25f);
  EXPECT_FLOAT_EQ(twice.at({0, 1}), .75f);
  // Heads are averaged.
  const Tensor heads = Tensor::of({2, 2, 2}, {1, 0, 0, 1, 0, 1, 0, 1});
  EXPECT_FLOAT_EQ(attention_rollout(std::array{heads}).at({0, 1}), .25f);
  EXPECT_THROW(attention_rollout({}), UsageError);
  EXPECT_THROW(attention_rollout(std::array{layer, Tensor::zeros({1, 3, 3})}), UsageError);
}

TEST(MeanDistance, IsInCellsAndPassesTokensOver) {
  // A token and a grid of 2 x 2: cell 0 looks at cell 3 and the token, the others at themselves.
  Tensor weights = Tensor::zeros({5, 5});
  Real* w = weights.mutable_data();
  w[1 * 5 + 4] = w[1 * 5 + 0] = .5f;
  for (int i = 2; i < 5; ++i) w[i * 5 + i] = 1;
  w[0] = 1;
  EXPECT_NEAR(mean_distance(weights, {.columns = 2, .tokens = 1}), std::sqrt(2.0) / 4, 1e-6);
  EXPECT_EQ(mean_distance(Tensor::zeros({2, 2}), {.columns = 2}), 0);
}

}  // namespace
}  // namespace heed::insight
