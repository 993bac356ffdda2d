// SPDX-License-Identifier: Apache-2.0
// The additive score by hand, its activations, and its shapes with one head and several.
#include <cmath>

#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(AdditiveScore, IsVTimesTheTanhOfBothProjections) {
  auto part = made_score("additive", {{"size", "2"}}, {.query_width = 1, .key_width = 2});
  set_parameter(*part, "v", Tensor::of({2}, {1, 2}));
  set_parameter(*part, "W1", Tensor::of({2, 2}, {1, 0, 0, 1}));
  set_parameter(*part, "W2", Tensor::of({2, 1}, {1, -1}));
  const Tensor query = Tensor::of({1, 1, 1, 1}, {0.5});
  const Tensor keys = Tensor::of({1, 1, 1, 2}, {0.25, 1});
  const double expected = std::tanh(0.75) + 2 * std::tanh(0.5);
  expect_near(first_scores(*part, query, keys),
              Tensor::of({1, 1, 1, 1}, {static_cast<Real>(expected)}), 1e-6);
}

TEST(AdditiveScore, TakesAnActivation) {
  auto part = made_score("additive", {{"size", "1"}, {"activation", "relu"}},
                         {.query_width = 1, .key_width = 1});
  set_parameter(*part, "v", Tensor::of({1}, {1}));
  set_parameter(*part, "W1", Tensor::of({1, 1}, {1}));
  set_parameter(*part, "W2", Tensor::of({1, 1}, {1}));
  const Tensor query = Tensor::of({1, 1, 1, 1}, {1});
  const Tensor keys = Tensor::of({1, 1, 2, 1}, {2, -5});
  expect_near(first_scores(*part, query, keys), Tensor::of({1, 1, 1, 2}, {3, 0}), 0);
  EXPECT_EQ(part->written(), "additive(size=1, activation=relu)");
}

TEST(AdditiveScore, HasKeyProjectionsPerKeyHeadAndTheRestPerHead) {
  auto part = made_score("additive", {{"size", "5"}},
                         {.query_width = 3, .key_width = 2, .heads = 4, .key_heads = 2});
  const auto all = parameters_of(*part);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].first, "v");
  EXPECT_EQ(all[0].second.shape(), (Shape{4, 5}));
  EXPECT_EQ(all[1].first, "W1");
  EXPECT_EQ(all[1].second.shape(), (Shape{2, 5, 2}));
  EXPECT_EQ(all[2].first, "W2");
  EXPECT_EQ(all[2].second.shape(), (Shape{4, 5, 3}));
}

TEST(AdditiveScore, RefusesAnUnknownActivation) {
  EXPECT_NE(message_of([] {
              made_score("additive", {{"activation", "step"}}, {});
            }).find("tanh"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::attention
