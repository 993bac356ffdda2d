// SPDX-License-Identifier: Apache-2.0
// The mlp score by hand, one layer against the additive score, and tiles against one pair at a
// time.
#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

TEST(MlpScore, AppliesItsLayersToQueryAndKey) {
  auto part = made_score("mlp", {{"sizes", "", 0, {"2", "1"}}, {"activation", "relu"}},
                         {.query_width = 1, .key_width = 1});
  set_parameter(*part, "W1", Tensor::of({2, 1}, {1, -1}));
  set_parameter(*part, "W2", Tensor::of({2, 1}, {1, 1}));
  set_parameter(*part, "b", Tensor::of({2}, {0, 1}));
  set_parameter(*part, "layers.0.weight", Tensor::of({1, 2}, {2, 3}));
  set_parameter(*part, "layers.0.bias", Tensor::of({1}, {-1}));
  set_parameter(*part, "v", Tensor::of({1}, {10}));
  // q = 1, k = 2: relu(3, 0) -> relu(2*3 - 1) = 5 -> 50; k = -4: relu(-3, 6) -> 17 -> 170
  expect_near(first_scores(*part, Tensor::of({1, 1, 1, 1}, {1}), Tensor::of({1, 1, 2, 1}, {2, -4})),
              Tensor::of({1, 1, 1, 2}, {50, 170}), 1e-4);
}

TEST(MlpScore, WithOneLayerAndNoBiasIsTheAdditiveScore) {
  const ScoreShape shape{.query_width = 3, .key_width = 2, .heads = 2};
  auto mlp = made_score("mlp", {{"sizes", "", 0, {"4"}}, {"activation", "tanh"}}, shape);
  auto additive = made_score("additive", {{"size", "4"}}, shape);
  const auto all = parameters_of(*mlp);
  for (const auto& [name, values] : all) {
    if (name != "b") set_parameter(*additive, name, values);
  }
  const Tensor query = wavy({2, 2, 3, 3});
  const Tensor keys = wavy({2, 1, 5, 2}, 1);
  expect_near(first_scores(*mlp, query, keys), first_scores(*additive, query, keys), 1e-6);
}

TEST(MlpScore, GivesTheSameInTilesAsOneQueryAtATime) {
  // 300 keys of 128 units take several tiles of queries.
  const auto part = made_score("mlp", {}, {.query_width = 2, .key_width = 2});
  const Tensor query = wavy({1, 1, 9, 2});
  const Tensor keys = wavy({1, 1, 300, 2}, 1);
  const Tensor all = first_scores(*part, query, keys);
  for (std::int64_t q = 0; q < 9; ++q) {
    expect_near(all.slice(2, q, q + 1), first_scores(*part, query.slice(2, q, q + 1), keys), 1e-5);
  }
}

TEST(MlpScore, RefusesASizeThatIsNone) {
  EXPECT_EQ(message_of([] {
              made_score("mlp", {{"sizes", "", 0, {"8", "0"}}}, {.query_width = 1, .key_width = 1});
            }),
            "mlp: size \"0\"; it takes whole numbers from 1 to 65536");
}

}  // namespace
}  // namespace heed::attention
