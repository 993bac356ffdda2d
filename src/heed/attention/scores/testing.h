// SPDX-License-Identifier: Apache-2.0
// For tests of scores: make one by name with its parameters, run it, check its gradients.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/score.h"
#include "heed/autograd/gradcheck.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/arithmetic.h"
#include "heed/tensor/testing.h"

namespace heed::attention {

using ScoreArguments = std::vector<Argument>;

// made_score("additive", {{"size", "8"}}, {.query_width = 3, .key_width = 2})
inline std::unique_ptr<Score> made_score(const std::string& name, const ScoreArguments& arguments,
                                         const ScoreShape& shape) {
  const auto* entry = Catalogue<Score>::find(name);
  if (entry == nullptr) throw InternalError("no score \"{}\" in the catalogue", name);
  auto part = entry->make();
  Options options;
  part->declare(options);
  set_options(options, name, arguments);
  Random random(7);
  part->build(shape, random);
  return part;
}

// Scores of the first step.
inline Tensor first_scores(const Score& part, const Tensor& query, const Tensor& keys) {
  const AttentionState fresh;
  return part.score(query, part.project(keys), {.state = fresh}).value();
}

// Gives the parameter of this name these values.
template <typename Interface>
void set_parameter(Interface& part, const std::string& name, const Tensor& values) {
  bool found = false;
  nn::ParameterVisitor visitor([&](const std::string& path, Variable& parameter) {
    if (path != name) return;
    found = true;
    ASSERT_EQ(parameter.shape(), values.shape()) << name << " is " << parameter.shape().text();
    parameter = Variable::leaf(values);
  });
  part.visit(visitor);
  EXPECT_TRUE(found) << "no parameter " << name;
}

// Names and values of a part's parameters.
template <typename Interface>
std::vector<std::pair<std::string, Tensor>> parameters_of(Interface& part) {
  std::vector<std::pair<std::string, Tensor>> all;
  nn::ParameterVisitor visitor([&](const std::string& path, Variable& parameter) {
    all.emplace_back(path, parameter.value());
  });
  part.visit(visitor);
  return all;
}

// Whether a part has so few parameters that finite differences of all of them take no time.
template <typename Interface>
bool can_be_differenced(Interface& part) {
  std::int64_t count = 0;
  for (const auto& [name, values] : parameters_of(part)) count += values.size();
  return count <= 1100;
}

// Finite differences for the given inputs and all parameters of a part: f gets the inputs, the
// part's parameters are already those of the check.
template <typename Interface>
GradcheckResult check_gradients(
    Interface& part, std::vector<Tensor> inputs,
    const std::function<Variable(Interface&, std::span<const Variable>)>& f) {
  const std::size_t given = inputs.size();
  for (const auto& [name, values] : parameters_of(part)) {
    inputs.push_back(values + heed::testing::wavy(values.shape(), 3) * Real(0.3));
  }
  return gradcheck(
      [&](std::span<const Variable> leaves) {
        std::size_t next = given;
        nn::ParameterVisitor visitor(
            [&](const std::string&, Variable& parameter) { parameter = leaves[next++]; });
        part.visit(visitor);
        return f(part, leaves.first(given));
      },
      inputs);
}

}  // namespace heed::attention
