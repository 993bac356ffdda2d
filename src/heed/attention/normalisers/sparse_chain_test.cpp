// SPDX-License-Identifier: Apache-2.0
// Sparse chains: golden vectors, the short way against the active set, limits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/normalisers/chain_oracle.h"
#include "heed/attention/normalisers/sequence_map.h"
#include "heed/attention/normalisers/structure_testing.h"

namespace heed::attention {
namespace {

std::unique_ptr<Normaliser> sparse_chain(double coupling, std::int64_t most = 0,
                                         double temperature = 1) {
  return normaliser("sparse_chain", {{"coupling", fmt::format("{:.17g}", coupling)},
                                     {"at-most", fmt::format("{}", most)},
                                     {"temperature", fmt::format("{:.17g}", temperature)}});
}

TEST(SparseChain, AgreesWithTheGoldenVectors) {
  const nlohmann::json& cases = structured_golden().at("sparsemap");
  expect_golden_structure(*sparse_chain(1), cases.at("sequence"));
  expect_golden_structure(*sparse_chain(1, 2), cases.at("sequence_at_most_2"));
  const nlohmann::json& dependent = cases.at("sequence_dependent");
  const auto x = dependent.at("x").get<std::vector<double>>();
  const auto part = sparse_chain(dependent.at("coupling"));
  expect_all_near(weights_of(*part, x), dependent.at("p").get<std::vector<double>>(), 1e-14);
  expect_all_near(gradient_of(*part, x, {0.3, -0.7, 1.1}),
                  dependent.at("vjp").get<std::vector<double>>(), 1e-14);
}

TEST(SparseChain, OfAnyNumberOfKeysIsWhatTheActiveSetFinds) {
  Random random(3);
  for (int trial = 0; trial < 600; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial) % 25;
    const double coupling = trial % 7 * 0.5 - 1.5, spread = trial % 2 == 0 ? 0.5 : 2;
    SCOPED_TRACE(fmt::format("{} keys, coupling {}, trial {}", n, coupling, trial));
    const std::vector<double> theta = normal_scores(n, spread, random);
    const std::vector<double> g = normal_scores(n, 1, random);
    const ChainOracle oracle(n, coupling);
    SparseMap& solved = solved_sequence(oracle, theta);
    std::vector<double> p(n), d(n);
    sequence_weights(solved, p);
    sequence_backward(solved, g, d);
    expect_all_near(weights_of(*sparse_chain(coupling), theta), p, 1e-12);
    expect_all_near(gradient_of(*sparse_chain(coupling), theta, g), d, 1e-12);
  }
}

TEST(SparseChain, WithoutCouplingClipsEachKey) {
  const std::vector<double> expected = {0, 0.25, 0.5, 0.85, 1, 1};
  expect_all_near(weights_of(*sparse_chain(0), {-3, -0.5, 0, 0.7, 1, 900}), expected, 1e-15);
  // Half the room for each, and no more than the two that a sequence may choose.
  expect_all_near(weights_of(*sparse_chain(0, 2), {0, 0, -1}), {0.5, 0.5, 0}, 1e-15);
  expect_all_near(weights_of(*sparse_chain(0, 1), {0, 0}), {0.5, 0.5}, 1e-15);
  expect_all_near(weights_of(*sparse_chain(0, 1), {3, 3, 2}), {0.5, 0.5, 0}, 1e-15);
}

TEST(SparseChain, OfOneAndOfTwoKeysIsWrittenOut) {
  expect_all_near(weights_of(*sparse_chain(1), std::vector<double>{0.4}), {0.7}, 1e-15);
  EXPECT_NEAR(gradient_of(*sparse_chain(1), {0.4}, {3.0})[0], 1.5, 1e-15);
  // Two alike stay alike: (0.1 + 0.1 + 0.5) / 2 from each, pulled together.
  expect_all_near(weights_of(*sparse_chain(0.5), {0.1, 0.1}), {0.675, 0.675}, 1e-15);
}

TEST(SparseChain, DividesEqualScoresByThePlaceOfTheKey) {
  // Two of three in a row: both pairs have the key between them.
  expect_all_near(weights_of(*sparse_chain(1, 2), {0, 0, 0}), {0.5, 1, 0.5}, 1e-15);
  // A price on pairs leaves each key at half: none of its choices need be a neighbour's.
  expect_all_near(weights_of(*sparse_chain(-0.4), {0, 0, 0}), {0.5, 0.5, 0.5}, 1e-15);
}

TEST(SparseChain, BecomesItsBestSequenceAsItCools) {
  Random random(5);
  for (int trial = 0; trial < 30; ++trial) {
    const std::vector<double> theta = normal_scores(10, 1, random);
    for (const std::int64_t most : {0, 3}) {
      double highest = kNoChoice;
      Choice best;
      for (const Choice& z : every_choice(10)) {
        if (most > 0 && std::count(z.begin(), z.end(), 1.0) > most) continue;
        double score = dot_of(theta, z);
        for (std::size_t i = 1; i < 10; ++i) score += 0.6 * z[i - 1] * z[i];
        if (score <= highest) continue;
        highest = score;
        best = z;
      }
      expect_all_near(weights_of(*sparse_chain(0.6, most, 1e-5), theta), best, 1e-12);
    }
  }
}

TEST(SparseChain, StaysWithinItsBudgetAtAnyScale) {
  Random random(6);
  for (const double spread : {1e-5, 1.0, 1e4, 1e30}) {
    const std::vector<double> theta = normal_scores(60, spread, random);
    for (const double coupling : {0.5, -2.0}) {
      double sum = 0;
      for (const double p : weights_of(*sparse_chain(coupling, 4), theta)) {
        EXPECT_TRUE(p >= 0 && p <= 1);
        sum += p;
      }
      EXPECT_LE(sum, 4 + 1e-10);
    }
  }
}

TEST(SparseChain, KeepsItsMaximumApartFromTheWayItIsSolved) {
  const std::vector<double> theta = {0.4, -1.2, 0.3, 0.8};
  for (const double temperature : {0.5, 1.0, 3.0}) {
    const auto part = sparse_chain(0.9, 0, temperature);
    const std::vector<double> p = weights_of(*part, theta);
    double expected = dot_of(p, theta);
    for (std::size_t i = 0; i < 4; ++i) {
      if (i > 0) expected += 0.9 * std::min(p[i - 1], p[i]);
      expected -= temperature * (p[i] * p[i] + (1 - p[i]) * (1 - p[i])) / 2;
    }
    EXPECT_NEAR(*part->maximum(theta), expected, 1e-13);
  }
}

TEST(SparseChain, RefusesOptionsThatCannotBe) {
  EXPECT_THROW(sparse_chain(1, -1), UsageError);
  EXPECT_THROW(sparse_chain(1, 0, 0), UsageError);
}

}  // namespace
}  // namespace heed::attention
