// SPDX-License-Identifier: Apache-2.0
// Every score against finite differences, in query, keys and every parameter, one head and grouped
// heads, at the first step and after others.
#include <cmath>
#include <set>

#include "heed/attention/scores/testing.h"
#include "heed/attention/settings_testing.h"

namespace heed::attention {
namespace {

using heed::testing::wavy;

std::unique_ptr<Score> built_score(const std::string& setting, const ScoreShape& shape) {
  auto part = made_part<Score>(setting);
  Random random(7);
  part->build(shape, random);
  return part;
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
  for (const std::string& setting : every_setting<Score>()) {
    for (const auto& [heads, groups] : {std::pair{1, 1}, {4, 2}}) {
      SCOPED_TRACE(setting + " with " + std::to_string(heads) + " heads");
      const auto part = built_score(
          setting, {.query_width = 3, .key_width = 3, .heads = heads, .key_heads = groups});
      if (!can_be_differenced(*part)) continue;
      const GradcheckResult result =
          check_gradients<Score>(*part, {wavy({2, heads, 2, 3}), wavy({2, groups, 4, 3}, 1)}, run);
      EXPECT_TRUE(result.passed) << result.where;
      if (heads > 1) checked.insert(part->card().name);
    }
  }
  for (const auto& entry : Catalogue<Score>::entries()) {
    EXPECT_TRUE(checked.contains(entry.card.name))
        << entry.card.name << " has too many parameters: its card needs a small example";
  }
}

TEST(ScoreGradients, AreFiniteForAZeroRow) {
  for (const std::string& setting : every_setting<Score>()) {
    SCOPED_TRACE(setting);
    const auto part = built_score(setting, {.query_width = 2, .key_width = 2});
    const Variable query = Variable::leaf(wavy({1, 1, 1, 2}));
    const Variable keys = Variable::leaf(Tensor::zeros({1, 1, 2, 2}));
    const Variable both[] = {query, keys};
    backward(sum(run(*part, both)));
    for (const Variable& x : both) {
      if (!x.gradient().defined()) continue;  // `location` asks nothing of the keys
      for (const Real g : x.gradient().values()) EXPECT_TRUE(std::isfinite(g));
    }
  }
}

// A masked key has gradient 0 in its scores; NaN in it reaches no other gradient.
TEST(ScoreGradients, AreFreeOfAMaskedKeysNan) {
  for (const std::string& setting : every_setting<Score>()) {
    SCOPED_TRACE(setting);
    auto part = built_score(setting, {.query_width = 3, .key_width = 3});
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
