// SPDX-License-Identifier: Apache-2.0
// The additive score by hand, its activations, and its shapes with one head and several.
#include <cmath>
#include <set>

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

// Many queries at once take another way to the same gradients when the keys themselves are given.
TEST(AdditiveScore, GivesTheSameWithAndWithoutTheKeysThemselves) {
  const AttentionState fresh;
  const Tensor seed = heed::testing::wavy({2, 1, 64, 5}, 2);
  std::vector<Tensor> results[2];
  std::set<std::string> ops[2];
  for (const bool given : {false, true}) {
    auto part = made_score("additive", {{"size", "4"}}, {.query_width = 3, .key_width = 2});
    const Variable query = Variable::leaf(heed::testing::wavy({2, 1, 64, 3}));
    const Variable keys = Variable::leaf(heed::testing::wavy({2, 1, 5, 2}, 1));
    const Variable scores = part->score(query, part->project(keys),
                                        {.state = fresh, .keys = given ? keys : Variable()});
    ops[given] = recorded_ops(scores);
    backward(scores, seed);
    results[given] = {scores.value(), query.gradient(), keys.gradient()};
    nn::ParameterVisitor visitor([&](const std::string&, Variable& parameter) {
      results[given].push_back(parameter.gradient());
    });
    part->visit(visitor);
  }
  EXPECT_EQ(ops[1].count("additive_row_scores"), 1u);
  EXPECT_EQ(ops[0].count("additive_scores"), 1u);
  ASSERT_EQ(results[0].size(), results[1].size());
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    SCOPED_TRACE(i);
    expect_near(results[1][i], results[0][i], 1e-4);
  }
}

TEST(AdditiveScore, RefusesAnUnknownActivation) {
  EXPECT_NE(message_of([] {
              made_score("additive", {{"activation", "step"}}, {});
            }).find("tanh"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::attention
