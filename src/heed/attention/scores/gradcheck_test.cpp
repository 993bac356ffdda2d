// SPDX-License-Identifier: Apache-2.0
// Every score against finite differences, in query, keys and every parameter, one head and grouped
// heads, at the first step and after others.
#include <cmath>
#include <set>

#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::wavy;

struct Case {
  std::string name;
  ScoreArguments arguments = {};
};

std::vector<Case> cases() {
  return {{"dot"},
          {"scaled_dot"},
          {"scaled_dot", {{"scale", "0.7"}}},
          {"bilinear"},
          {"additive", {{"size", "5"}}},
          {"additive", {{"size", "3"}, {"activation", "gelu"}}},
          {"additive", {{"size", "3"}, {"activation", "sigmoid"}}},
          {"additive", {{"size", "3"}, {"activation", "swish"}}},
          {"additive", {{"size", "3"}, {"activation", "relu"}}},
          {"cosine", {{"strength", "2"}}},
          {"cosine", {{"learnable", "true"}}},
          {"location", {{"length", "7"}}},
          {"mlp", {{"sizes", "", 0, {"4"}}, {"activation", "tanh"}}},
          {"mlp", {{"sizes", "", 0, {"4", "3", "2"}}, {"activation", "swish"}}},
          {"convolution", {{"channels", "3"}}},
          {"location_aware", {{"width", "3"}, {"channels", "2"}, {"size", "3"}}},
          {"coverage", {{"size", "3"}}},
          {"alignment_rnn", {{"size", "3"}, {"hidden", "2"}}},
          {"distance", {{"deviation", "1.5"}}},
          {"distance", {{"learnable", "true"}}}};
}

// Two steps for scores that look back, so that the state takes part; all queries at once for the
// others.
Variable run(Score& part, std::span<const Variable> in) {
  const Variable keys = part.project(in[1]);
  AttentionState state;
  Variable hidden;
  if (!part.looks_back()) return part.score(in[0], keys, {.state = state});
  std::vector<Variable> steps;
  for (std::int64_t q = 0; q < in[0].size(2); ++q) {
    steps.push_back(
        part.score(slice(in[0], 2, q, q + 1), keys, {.state = state, .hidden = hidden}));
    const Variable weights =
        softmax(reshape(steps.back(), {in[0].size(0), in[0].size(1), keys.size(2)}));
    state = state.after(weights);
    hidden = part.remember(hidden, weights);
  }
  return concat(steps, 2);
}

TEST(ScoreGradients, AgreeWithFiniteDifferencesForEveryScore) {
  std::set<std::string> checked;
  for (const Case& one : cases()) {
    for (const auto& [heads, groups] : {std::pair{1, 1}, {4, 2}}) {
      SCOPED_TRACE(one.name + " with " + std::to_string(heads) + " heads");
      auto part =
          made_score(one.name, one.arguments,
                     {.query_width = 3, .key_width = 3, .heads = heads, .key_heads = groups});
      const GradcheckResult result =
          check_gradients<Score>(*part, {wavy({2, heads, 2, 3}), wavy({2, groups, 4, 3}, 1)}, run);
      EXPECT_TRUE(result.passed) << result.where;
      checked.insert(one.name);
    }
  }
  for (const auto& entry : Catalogue<Score>::entries()) {
    EXPECT_TRUE(checked.contains(entry.card.name)) << entry.card.name << " has no case";
  }
}

TEST(ScoreGradients, AreFiniteForAZeroRow) {
  for (const std::string name : {"cosine", "distance", "dot", "scaled_dot"}) {
    auto part = made_score(name, {}, {.query_width = 2, .key_width = 2});
    const GradcheckResult result =
        check_gradients<Score>(*part, {wavy({1, 1, 2, 2}), wavy({1, 1, 3, 2})}, run);
    EXPECT_TRUE(result.passed) << name << ": " << result.where;
    const Variable query = Variable::leaf(wavy({1, 1, 1, 2}));
    const Variable keys = Variable::leaf(Tensor::zeros({1, 1, 2, 2}));
    const Variable both[] = {query, keys};
    backward(sum(run(*part, both)));
    for (const Real g : keys.gradient().values()) EXPECT_TRUE(std::isfinite(g)) << name;
    for (const Real g : query.gradient().values()) EXPECT_TRUE(std::isfinite(g)) << name;
  }
}

// A masked key has gradient 0 in its scores; NaN in it reaches no other gradient.
TEST(ScoreGradients, AreFreeOfAMaskedKeysNan) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    auto part = made_score(one.name, one.arguments, {.query_width = 3, .key_width = 3});
    Tensor rows = wavy({1, 1, 4, 3}, 1);
    for (int i = 6; i < 9; ++i) rows.mutable_data()[i] = std::nan("");
    const Variable query = Variable::leaf(wavy({1, 1, 1, 3}));
    const Variable keys = Variable::leaf(rows);
    const Variable both[] = {query, keys};
    backward(run(*part, both), Tensor::of({1, 1, 1, 4}, {0.5, -1, 0, 2}));
    for (const Real g : query.gradient().values()) EXPECT_TRUE(std::isfinite(g));
    if (keys.gradient().defined()) {
      for (const Real g : keys.gradient().values()) EXPECT_TRUE(std::isfinite(g));
    }
    nn::ParameterVisitor visitor([](const std::string& path, Variable& parameter) {
      for (const Real g :
           parameter.gradient().defined() ? parameter.gradient().values() : std::vector<Real>{}) {
        EXPECT_TRUE(std::isfinite(g)) << path;
      }
    });
    part->visit(visitor);
  }
}

}  // namespace
}  // namespace heed::attention
