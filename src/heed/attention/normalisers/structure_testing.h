// SPDX-License-Identifier: Apache-2.0
// For tests of structures: every choice of a short row written out, and what follows from them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "heed/attention/normalisers/row_structure.h"
#include "heed/attention/testing.h"
#include "heed/base/random.h"

namespace heed::attention {

using Choice = std::vector<double>;
// The score of a choice, minus infinity where there is no such choice.
using ChoiceScore = std::function<double(const std::vector<double>& scores, const Choice& z)>;

constexpr double kNoChoice = -std::numeric_limits<double>::infinity();

inline std::vector<Choice> every_choice(std::size_t n) {
  std::vector<Choice> all;
  for (std::size_t bits = 0; bits < std::size_t{1} << n; ++bits) {
    Choice z(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = bits >> i & 1 ? 1 : 0;
    all.push_back(z);
  }
  return all;
}

inline double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline std::vector<double> normal_scores(std::size_t n, double spread, Random& random) {
  std::vector<double> scores(n);
  fill_normal(std::span(scores), random);
  for (double& score : scores) score *= spread;
  return scores;
}

// The distribution over all choices, by the definition.
struct Enumerated {
  std::vector<Choice> choices;
  std::vector<double> scores, p;
  double highest = kNoChoice, log_partition = 0, entropy = 0;
  std::vector<double> mu;

  Enumerated(const std::vector<double>& theta, const ChoiceScore& score) : mu(theta.size(), 0.0) {
    for (Choice& z : every_choice(theta.size())) {
      const double s = score(theta, z);
      if (s == kNoChoice) continue;
      highest = std::max(highest, s);
      scores.push_back(s);
      choices.push_back(std::move(z));
    }
    double sum = 0;
    for (const double s : scores) sum += std::exp(s - highest);
    log_partition = highest + std::log(sum);
    for (std::size_t a = 0; a < choices.size(); ++a) {
      p.push_back(std::exp(scores[a] - log_partition));
      entropy -= p[a] * (scores[a] - log_partition);
      for (std::size_t i = 0; i < mu.size(); ++i) mu[i] += p[a] * choices[a][i];
    }
  }
  // The covariance of z and a number of each choice, which is how its mean changes with the scores.
  std::vector<double> covariance(const std::function<double(std::size_t choice)>& number) const {
    double mean = 0;
    for (std::size_t a = 0; a < choices.size(); ++a) mean += p[a] * number(a);
    std::vector<double> result(mu.size(), 0.0);
    for (std::size_t a = 0; a < choices.size(); ++a) {
      for (std::size_t i = 0; i < mu.size(); ++i) {
        result[i] += p[a] * (choices[a][i] - mu[i]) * (number(a) - mean);
      }
    }
    return result;
  }
};

// Everything a structure says of this row, against all its choices.
inline void expect_enumerated(const Normaliser& part, std::vector<double> theta,
                              const ChoiceScore& score, double tolerance = 1e-12) {
  const Enumerated all(theta, score);
  const RowStructure* structure = row_part(part).structure();
  ASSERT_NE(structure, nullptr);
  const std::size_t n = theta.size();
  RowData<double> data{.scores = theta};
  const Row<double> row = data.row();
  std::vector<double> g(n), found(n, NAN);
  for (std::size_t i = 0; i < n; ++i) g[i] = std::sin(3.7 * static_cast<double>(i) + 0.4);

  EXPECT_NEAR(structure->log_partition(row), all.log_partition, tolerance);
  structure->marginals(row, found);
  expect_all_near(found, all.mu, tolerance);
  structure->marginals_backward(row, g, {.scores = found});
  expect_all_near(found, all.covariance([&](std::size_t a) { return dot_of(all.choices[a], g); }),
                  tolerance);
  EXPECT_NEAR(structure->entropy(row), all.entropy, 10 * tolerance);
  structure->entropy_backward(row, -1, {.scores = found});
  expect_all_near(found, all.covariance([&](std::size_t a) { return all.scores[a]; }),
                  10 * tolerance);

  structure->best(row, found);
  EXPECT_NEAR(score(theta, found), all.highest, tolerance) << "of the best choice";
  for (const Choice& z : every_choice(n)) {
    const double expected = score(theta, z);
    if (expected == kNoChoice) {
      EXPECT_EQ(structure->score(row, z), kNoChoice);
      continue;
    }
    EXPECT_NEAR(structure->score(row, z), expected, tolerance);
    EXPECT_NEAR(structure->log_probability(row, z), expected - all.log_partition, tolerance);
  }
  structure->draw(row, found);
  EXPECT_NE(score(theta, found), kNoChoice) << "a draw is a choice";
  std::vector<double> d_log(n, NAN);
  structure->log_probability_backward(row, found, 2, {.scores = d_log});
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(d_log[i], 2 * (found[i] - all.mu[i]), tolerance);
  }
}

// Every choice is drawn as often as its probability says, to five standard errors.
inline void expect_draws(const Normaliser& part, std::vector<double> theta,
                         const ChoiceScore& score) {
  const Enumerated all(theta, score);
  const int draws = 20000;
  std::vector<double> found(theta.size());
  std::map<Choice, int> counts;
  for (int d = 0; d < draws; ++d) {
    RowData<double> data{.scores = theta,
                         .random = {.seed = 7, .row = static_cast<std::uint64_t>(d)}};
    row_part(part).structure()->draw(data.row(), found);
    ++counts[found];
  }
  for (std::size_t a = 0; a < all.choices.size(); ++a) {
    const double expected = draws * all.p[a];
    EXPECT_NEAR(counts[all.choices[a]], expected, 5 * std::sqrt(expected * (1 - all.p[a])) + 1);
  }
}

// Weights and gradient of a case of the golden file, in double and in float.
inline void expect_golden_structure(const Normaliser& part, const nlohmann::json& expected) {
  const auto x = structured_golden().at("x").get<std::vector<double>>();
  const auto g = structured_golden().at("g").get<std::vector<double>>();
  const auto p = expected.at("p").get<std::vector<double>>();
  const auto vjp = expected.at("vjp").get<std::vector<double>>();
  expect_all_near(weights_of(part, x), p, 1e-12);
  expect_all_near(gradient_of(part, x, g), vjp, 1e-12);
  const RowData<float> narrow{.scores = std::vector<float>(x.begin(), x.end())};
  expect_all_near(weights_of(part, narrow), p, 1e-6);
  expect_all_near(gradients_of(part, narrow, std::vector<float>(g.begin(), g.end())).scores, vjp,
                  1e-6);
}

}  // namespace heed::attention
