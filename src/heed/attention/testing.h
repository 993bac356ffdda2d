// SPDX-License-Identifier: Apache-2.0
// For tests of normalisers: make one by name, run rows through it, read the golden vectors.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "heed/attention/normaliser.h"
#include "heed/base/error.h"

namespace heed::attention {

using Arguments = std::vector<Argument>;

// normaliser("entmax", {{"alpha", "1.25"}})
inline std::unique_ptr<Normaliser> normaliser(const std::string& name,
                                              const Arguments& arguments = {}) {
  const auto* entry = Catalogue<Normaliser>::find(name);
  if (entry == nullptr) throw InternalError("no normaliser \"{}\" in the catalogue", name);
  auto part = entry->make();
  Options options;
  part->declare(options);
  set_options(options, name, arguments);
  return part;
}

// A row and everything about it that a normaliser may ask for.
template <typename T>
struct RowData {
  std::vector<T> scores;
  std::vector<std::int32_t> keys = {};  // empty: 0, 1, ...
  std::vector<T> parameters = {};
  std::vector<T> bounds = {};
  RowRandom random = {.seed = 5, .row = 3};

  Row<T> row() {
    if (keys.empty()) {
      keys.resize(scores.size());
      std::iota(keys.begin(), keys.end(), 0);
    }
    return {.scores = scores,
            .keys = keys,
            .parameters = parameters,
            .bounds = bounds,
            .random = random};
  }
};

inline const RowNormaliser& row_part(const Normaliser& part) {
  return dynamic_cast<const RowNormaliser&>(part);
}

// What one head of the part reads of its learnable tensors at first.
template <typename T = double>
std::vector<T> first_parameters(const Normaliser& part) {
  const auto fresh = part.clone();
  Random random(1);
  fresh->build({.heads = 1}, random);
  const Variable parameters = fresh->parameters();
  if (!parameters.defined()) return {};
  const std::vector<Real> values = parameters.value().values();
  return {values.begin(), values.end()};
}

// The normalisers of the catalogue that weigh each query alone.
inline std::vector<Catalogue<Normaliser>::Entry> row_normalisers() {
  std::vector<Catalogue<Normaliser>::Entry> rows;
  for (const auto& entry : Catalogue<Normaliser>::entries()) {
    if (!weighs_matrices(*entry.make())) rows.push_back(entry);
  }
  return rows;
}

template <typename T>
std::vector<T> weights_of(const Normaliser& part, RowData<T> data) {
  std::vector<T> weights(data.scores.size(), T(NAN));
  row_part(part).forward(data.row(), weights);
  return weights;
}
inline std::vector<double> weights_of(const Normaliser& part, std::vector<double> scores) {
  return weights_of(part, RowData<double>{.scores = std::move(scores)});
}

template <typename T>
struct RowGradients {
  std::vector<T> scores, parameters, bounds;
};
template <typename T>
RowGradients<T> gradients_of(const Normaliser& part, RowData<T> data, const std::vector<T>& g) {
  const std::vector<T> weights = weights_of(part, data);
  RowGradients<T> result{std::vector<T>(g.size(), T(NAN)), std::vector<T>(data.parameters.size()),
                         std::vector<T>(data.bounds.size())};
  row_part(part).backward(
      data.row(), weights, {.weights = g},
      {.scores = result.scores, .parameters = result.parameters, .bounds = result.bounds});
  return result;
}
inline std::vector<double> gradient_of(const Normaliser& part, std::vector<double> scores,
                                       const std::vector<double>& g) {
  return gradients_of(part, RowData<double>{.scores = std::move(scores)}, g).scores;
}

template <typename T>
void expect_all_near(const std::vector<T>& actual, const std::vector<double>& expected,
                     double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], tolerance) << "key " << i;
  }
}

// tests/golden/normalisers.json: vectors computed in double by independent formulas.
inline const nlohmann::json& golden() {
  static const nlohmann::json json = nlohmann::json::parse(
      std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/normalisers.json"));
  return json;
}

// tests/golden/structured.json: structures and estimators, by enumeration in double.
inline const nlohmann::json& structured_golden() {
  static const nlohmann::json json = nlohmann::json::parse(
      std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/structured.json"));
  return json;
}

// Weights and gradient of golden().at(name), to 1e-12 in double and 1e-6 in float. The names of the
// weights and of the gradient differ from case to case.
inline void expect_golden(const Normaliser& part, const nlohmann::json& expected,
                          const std::string& gradient_name = "vjp") {
  const auto x = golden().at("x").get<std::vector<double>>();
  const auto g = golden().at("g").get<std::vector<double>>();
  const auto p = expected.at("p").get<std::vector<double>>();
  const auto dz = expected.at(gradient_name).get<std::vector<double>>();
  expect_all_near(weights_of(part, x), p, 1e-12);
  expect_all_near(gradient_of(part, x, g), dz, 1e-12);
  RowData<float> narrow{.scores = std::vector<float>(x.begin(), x.end())};
  expect_all_near(weights_of(part, narrow), p, 1e-6);
  const std::vector<float> narrow_g(g.begin(), g.end());
  expect_all_near(gradients_of(part, narrow, narrow_g).scores, dz, 1e-6);
}

}  // namespace heed::attention
