// SPDX-License-Identifier: Apache-2.0
// Small memory networks and stories for their tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/models/memory_network.h"

namespace heed::models::testing {

// tests/golden/memory.json, computed in double by independent code.
inline const nlohmann::json& memory_golden() {
  static const nlohmann::json json = nlohmann::json::parse(
      std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/memory.json"));
  return json.at("memn2n");
}

inline MemoryNetworkOptions small_memory_network() {
  return {.vocabulary = 9, .width = 4, .hops = 2, .slots = 4, .words = 3, .ages = 5};
}

// Three questions: on two sentences, on four, on none.
inline StoryBatch small_stories() {
  return {.sentences = Ids::of({6, 3}, {0, 0, 0, 1, 2, 3, 4, 2, 5, 1, 6, 0, 7, 3, 8, 2, 8, 0}),
          .questions = Ids::of({3}, {3, 5, 5}),
          .keys = Ids::of({3, 4}, {1, 2, 0, 0, 4, 1, 2, 1, 0, 0, 0, 0}),
          .values = Ids::of({3, 4}, {2, 4, 0, 0, 1, 2, 4, 5, 0, 0, 0, 0}),
          .ages = Ids::of({3, 4}, {2, 1, 0, 0, 5, 3, 2, 1, 0, 0, 0, 0}),
          .lengths = Ids::of({3}, {2, 4, 0})};
}

inline std::vector<Real> flat(const nlohmann::json& rows) {
  std::vector<Real> all;
  for (const auto& row : rows) {
    for (const double x : row.get<std::vector<double>>()) all.push_back(static_cast<Real>(x));
  }
  return all;
}

// Copies values into the parameter of this name.
inline void set_parameter(MemoryNetwork& model, const std::string& name,
                          const std::vector<Real>& values) {
  for (nn::Parameter& parameter : nn::parameters(model)) {
    if (parameter.name != name) continue;
    ASSERT_EQ(parameter.variable.value().size(), static_cast<std::int64_t>(values.size()));
    std::copy(values.begin(), values.end(), parameter.variable.mutable_value().mutable_data());
    return;
  }
  FAIL() << name;
}

// The worked example of the golden file: two hops over two sentences.
inline void expect_known_answer(double tolerance) {
  Random random(1);
  MemoryNetwork model({.vocabulary = 6, .width = 2, .hops = 2, .slots = 2, .words = 3, .ages = 2},
                      random);
  for (int table = 0; table < 3; ++table) {
    set_parameter(model, fmt::format("tables.{}.words", table), flat(memory_golden()["E"][table]));
    std::vector<Real> ages(2, 0);  // of no age
    for (const Real x : flat(memory_golden()["T"][table])) ages.push_back(x);
    set_parameter(model, fmt::format("tables.{}.ages", table), ages);
  }
  const StoryBatch story{.sentences = Ids::of({4, 3}, {0, 0, 0, 1, 2, 3, 4, 2, 5, 1, 3, 0}),
                         .questions = Ids::of({1}, {3}),
                         .keys = Ids::of({1, 2}, {1, 2}),
                         .values = {},
                         .ages = Ids::of({1, 2}, {2, 1}),
                         .lengths = Ids::of({1}, {2})};
  attention::Trace trace;
  const Variable logits = model(story, {.watch = &trace}).logits;
  EXPECT_NEAR(cross_entropy(logits, Ids::of({1}, {5})).item(),
              memory_golden()["loss"].get<double>(), tolerance);
  ASSERT_EQ(trace.entries().size(), 2u);
  for (int hop = 0; hop < 2; ++hop) {
    EXPECT_EQ(trace.entries()[static_cast<std::size_t>(hop)].site.hop, hop);
    EXPECT_EQ(trace.entries()[static_cast<std::size_t>(hop)].site.role, attention::Role::memory);
    for (int slot = 0; slot < 2; ++slot) {
      EXPECT_NEAR(trace.entries()[static_cast<std::size_t>(hop)].weights.at({0, 0, 0, slot}),
                  memory_golden()["weights"][hop][slot].get<double>(), tolerance);
    }
  }
}

// Hop by hop with sums over the elements, as the equations say it.
inline std::vector<double> enumerated_logits(MemoryNetwork& model,
                                             const MemoryNetworkOptions& options,
                                             const StoryBatch& batch, std::int64_t row,
                                             bool linear) {
  std::map<std::string, Tensor> parameters;
  for (const nn::Parameter& one : nn::parameters(model)) {
    parameters[one.name] = one.variable.value();
  }
  const auto D = static_cast<std::size_t>(options.width);
  const Tensor places = word_place_weights(options.places, options.words, options.width);
  const bool layers = options.tying == Tying::layer_wise;
  const auto vector_of = [&](int table, std::int32_t sentence, std::int32_t age) {
    std::vector<double> sum(D, 0);
    const Tensor& words = parameters.at(fmt::format("tables.{}.words", table));
    for (std::int64_t j = 0; j < options.words; ++j) {
      const std::int32_t word = batch.sentences.at({sentence, j});
      for (std::size_t d = 0; d < D && word != 0; ++d) {
        sum[d] += places.at({j, static_cast<std::int64_t>(d)}) *
                  words.at({word, static_cast<std::int64_t>(d)});
      }
    }
    if (age > 0 && options.ages > 0) {
      const Tensor& ages = parameters.at(fmt::format("tables.{}.ages", table));
      for (std::size_t d = 0; d < D; ++d) sum[d] += ages.at({age, static_cast<std::int64_t>(d)});
    }
    return sum;
  };
  const auto mapped = [&](const std::string& name, const std::vector<double>& x) {
    std::vector<double> y(D, 0);
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = 0; j < D; ++j) {
        y[i] +=
            parameters.at(name).at({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)}) *
            x[j];
      }
    }
    return y;
  };
  const bool pairs = options.key_value;
  std::vector<double> u = vector_of(pairs ? 0 : layers ? 2 : 0, batch.questions.at({row}), 0);
  for (int hop = 0; hop < options.hops; ++hop) {
    const int a = pairs || layers ? 0 : hop, c = pairs ? 0 : layers ? 1 : hop + 1;
    std::vector<double> p;
    std::vector<std::vector<double>> values;
    double total = 0;
    for (std::int64_t slot = 0; slot < options.slots; ++slot) {
      const std::int32_t age = batch.ages.at({row, slot});
      const std::vector<double> key = vector_of(a, batch.keys.at({row, slot}), age);
      values.push_back(vector_of(c, (pairs ? batch.values : batch.keys).at({row, slot}), age));
      double score = 0;
      for (std::size_t d = 0; d < D; ++d) score += key[d] * u[d];
      p.push_back(linear ? score : std::exp(score));
      total += p.back();
    }
    std::vector<double> o(D, 0);
    for (std::size_t slot = 0; slot < p.size(); ++slot) {
      for (std::size_t d = 0; d < D; ++d) {
        o[d] += p[slot] / (linear ? 1 : total) * values[slot][d];
      }
    }
    if (pairs) {
      for (std::size_t d = 0; d < D; ++d) u[d] += o[d];
      u = mapped(fmt::format("hops.{}.map", hop), u);
    } else {
      if (layers) u = mapped("state_map", u);
      for (std::size_t d = 0; d < D; ++d) u[d] += o[d];
    }
    for (double& x : u) x = options.rectified ? std::max(x, 0.0) : x;
  }
  const Tensor& words = parameters.at(fmt::format("tables.{}.words", pairs    ? 1
                                                                     : layers ? 3
                                                                              : options.hops));
  std::vector<double> logits(static_cast<std::size_t>(options.vocabulary), 0);
  for (std::size_t v = 1; v < logits.size(); ++v) {
    for (std::size_t d = 0; d < D; ++d) {
      logits[v] += words.at({static_cast<std::int64_t>(v), static_cast<std::int64_t>(d)}) * u[d];
    }
  }
  return logits;
}

inline std::vector<MemoryNetworkOptions> all_small_networks() {
  std::vector<MemoryNetworkOptions> all(5, small_memory_network());
  all[1].tying = Tying::layer_wise;
  all[2].key_value = true;
  all[2].ages = 0;
  all[2].places = WordPlaces::none;
  all[3].rectified = true;
  all[3].places = WordPlaces::paper;
  all[4].hops = 3;
  all[4].key_value = true;
  return all;
}

inline void expect_equations(double tolerance) {
  for (const MemoryNetworkOptions& options : all_small_networks()) {
    Random random(3);
    MemoryNetwork model(options, random);
    const StoryBatch batch = small_stories();
    for (const bool linear : {false, true}) {
      const Tensor logits = model(batch, {}, {.linear = linear}).logits.value();
      for (std::int64_t row = 0; row < 3; ++row) {
        const std::vector<double> known = enumerated_logits(model, options, batch, row, linear);
        for (std::int64_t v = 0; v < options.vocabulary; ++v) {
          EXPECT_NEAR(logits.at({row, v}), known[static_cast<std::size_t>(v)], tolerance);
        }
      }
    }
  }
}

}  // namespace heed::models::testing
