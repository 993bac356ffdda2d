// SPDX-License-Identifier: Apache-2.0
// SparseMAP: golden vectors, the certificate on every structure, budgets and matchings that are
// written out, gradients, warm starts.
#include "heed/attention/normalisers/sparsemap.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "heed/attention/normalisers/chain_oracle.h"
#include "heed/attention/normalisers/sequence_map.h"
#include "heed/attention/normalisers/span_oracle.h"
#include "heed/attention/normalisers/structure_testing.h"

namespace heed::attention {
namespace {

using Numbers = std::vector<double>;

// Structures given one by one, each as the parts it has; the first of equals.
class ListedOracle final : public StructureOracle {
 public:
  ListedOracle(std::size_t parts, std::vector<std::vector<std::size_t>> structures)
      : parts_(parts), structures_(std::move(structures)) {}
  std::size_t parts() const override { return parts_; }
  void best(std::span<const double> scores, PartBits found) const override {
    double highest = -INFINITY;
    const std::vector<std::size_t>* best = nullptr;
    for (const auto& structure : structures_) {
      double sum = 0;
      for (const std::size_t part : structure) sum += scores[part];
      if (sum > highest) {
        highest = sum;
        best = &structure;
      }
    }
    for (const std::size_t part : *best) add_part(found, part);
  }

 private:
  std::size_t parts_;
  std::vector<std::vector<std::size_t>> structures_;
};

// Both states of each key: the parts of a choice.
Numbers states_of(const Choice& z) {
  Numbers parts(2 * z.size(), 0.0);
  for (std::size_t i = 0; i < z.size(); ++i) parts[2 * i + (z[i] == 1 ? 1 : 0)] = 1;
  return parts;
}
Numbers state_scores(const Numbers& theta) {
  Numbers scores(2 * theta.size(), 0.0);
  for (std::size_t i = 0; i < theta.size(); ++i) scores[2 * i + 1] = theta[i];
  return scores;
}

// Members have weights that add up to one and are all equally good along the gradient, and no
// structure is better: that makes them the optimum. Returns how far the nearest other structure or
// zero weight is: 0 at a kink, and where a structure between members is as good as they are.
double expect_certificate(const SparseMap& solved, const Numbers& theta, const ChoiceScore& score) {
  const auto slope = [&](const Choice& z) {
    const Numbers parts = states_of(z);
    double sum = score(theta, z);
    for (std::size_t i = 0; i < parts.size(); ++i) sum -= parts[i] * solved.expectation()[i];
    return sum;
  };
  std::set<Choice> members;
  double total = 0, tau = NAN, margin = INFINITY;
  for (std::size_t a = 0; a < solved.members(); ++a) {
    Choice z(theta.size());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = has_part(solved.member(a), 2 * i + 1) ? 1 : 0;
    members.insert(z);
    EXPECT_GT(solved.weights()[a], 0);
    margin = std::min(margin, solved.weights()[a]);
    total += solved.weights()[a];
    if (a == 0) tau = slope(z);
    EXPECT_NEAR(slope(z), tau, 1e-12);
  }
  EXPECT_NEAR(total, 1, 1e-13);
  EXPECT_EQ(members.size(), solved.members());
  for (const Choice& z : every_choice(theta.size())) {
    const double here = slope(z);
    EXPECT_LE(here, tau + 1e-12);
    if (!members.contains(z)) margin = std::min(margin, tau - here);
  }
  return margin;
}

ChoiceScore sequence_score(double coupling, std::size_t most) {
  return [=](const Numbers& theta, const Choice& z) {
    if (most > 0 && std::count(z.begin(), z.end(), 1.0) > static_cast<int>(most)) return kNoChoice;
    double sum = dot_of(theta, z);
    for (std::size_t i = 1; i < z.size(); ++i) sum += coupling * z[i - 1] * z[i];
    return sum;
  };
}
double run_score(const Numbers& theta, const Choice& z) {
  int begins = z[0] == 1;
  for (std::size_t i = 1; i < z.size(); ++i) begins += z[i] > z[i - 1];
  return begins == 1 ? dot_of(theta, z) : kNoChoice;
}

TEST(SparseMap, AgreesWithTheGoldenSequences) {
  for (const auto& [name, most] : {std::pair{"sequence", 0}, std::pair{"sequence_at_most_2", 2},
                                   std::pair{"sequence_dependent", 0}}) {
    SCOPED_TRACE(name);
    const nlohmann::json& expected = structured_golden().at("sparsemap").at(name);
    const nlohmann::json& x =
        expected.contains("x") ? expected.at("x") : structured_golden().at("x");
    const auto theta = x.get<Numbers>();
    auto g = structured_golden().at("g").get<Numbers>();
    g.resize(theta.size());
    const ChainOracle oracle(theta.size(), expected.at("coupling"), static_cast<std::size_t>(most));
    SparseMap solver;
    const Numbers scores = state_scores(theta);
    solver.solve(oracle, scores);
    Numbers p(theta.size()), d(theta.size());
    sequence_weights(solver, p);
    expect_all_near(p, expected.at("p").get<Numbers>(), 1e-14);
    sequence_backward(solver, g, d);
    expect_all_near(d, expected.at("vjp").get<Numbers>(), 1e-14);
    Numbers d_states(scores.size()), d_coupling(1), upstream = state_scores(g);
    solver.backward(upstream, d_states, d_coupling);
    EXPECT_NEAR(d_coupling[0], expected.at("d_coupling"), 1e-14);
    std::multiset<double> weights(solver.weights().begin(), solver.weights().end());
    for (const double weight : expected.at("weights")) {
      const auto near = std::ranges::find_if(
          weights, [&](double found) { return std::abs(found - weight) < 1e-14; });
      ASSERT_NE(near, weights.end()) << weight;
      weights.erase(near);
    }
    EXPECT_TRUE(weights.empty());
  }
}

// Every one-to-one matching, as rows of keys.
std::vector<std::vector<std::size_t>> matchings(std::size_t rows, std::size_t columns) {
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::set<std::vector<std::size_t>> all;
  do {
    std::vector<std::size_t> parts;
    for (std::size_t r = 0; r < rows; ++r) parts.push_back(r * columns + order[r]);
    all.insert(parts);
  } while (std::next_permutation(order.begin(), order.end()));
  return {all.begin(), all.end()};
}

TEST(SparseMap, TakesAnyOracleAsMatchingsShow) {
  const auto table = structured_golden().at("tree").at("s").get<std::vector<Numbers>>();
  const auto upstream = structured_golden().at("tree").at("g").get<std::vector<Numbers>>();
  for (const auto& [name, rows] : {std::pair{"matching", 4}, std::pair{"matching_three_rows", 3}}) {
    SCOPED_TRACE(name);
    const nlohmann::json& expected = structured_golden().at("sparsemap").at(name);
    Numbers scores, g, p, vjp;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
      for (std::size_t c = 0; c < 4; ++c) {
        scores.push_back(table[r][c]);
        g.push_back(upstream[r][c]);
        p.push_back(expected.at("p")[r][c]);
        vjp.push_back(expected.at("vjp")[r][c]);
      }
    }
    const ListedOracle oracle(scores.size(), matchings(static_cast<std::size_t>(rows), 4));
    SparseMap solver;
    solver.solve(oracle, scores);
    expect_all_near(Numbers(solver.expectation().begin(), solver.expectation().end()), p, 1e-14);
    Numbers d(scores.size());
    solver.backward(g, d);
    expect_all_near(d, vjp, 1e-14);
  }
}

TEST(SparseMap, OfOneKeyIsSparsemaxAndOfKKeysTheBudget) {
  Random random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(trial) % 7;
    const Numbers theta = normal_scores(n, 1, random);
    for (const std::size_t k : {1, 2}) {
      std::vector<std::vector<std::size_t>> subsets;
      for (const Choice& z : every_choice(n)) {
        if (std::count(z.begin(), z.end(), 1.0) != static_cast<int>(k)) continue;
        subsets.emplace_back();
        for (std::size_t i = 0; i < n; ++i) {
          if (z[i] == 1) subsets.back().push_back(i);
        }
      }
      const ListedOracle oracle(n, subsets);
      SparseMap solver;
      solver.solve(oracle, theta);
      EXPECT_LE(solver.gap(), 1e-9);
      const auto part = k == 1 ? normaliser("sparsemax") : normaliser("budget");
      expect_all_near(Numbers(solver.expectation().begin(), solver.expectation().end()),
                      weights_of(*part, theta), 1e-13);
    }
  }
}

// Solves a thousand problems of one kind; the largest gap, and at those off kinks the gradient.
void expect_thousand(
    const std::function<std::pair<std::unique_ptr<StructureOracle>, ChoiceScore>(std::size_t, int)>&
        problem) {
  Random random(1);
  int smooth = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial) % 8;
    const double spread = trial % 3 == 0 ? 0.3 : trial % 3 == 1 ? 1 : 4;
    Numbers theta = normal_scores(n, spread, random);
    const auto [oracle, score] = problem(n, trial);
    SparseMap solver;
    Numbers scores = state_scores(theta);
    solver.solve(*oracle, scores);
    ASSERT_LE(solver.gap(), 1e-9) << "trial " << trial;
    const double margin = expect_certificate(solver, theta, score);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "trial " << trial;
    if (margin < 1e-4) continue;
    ++smooth;
    Numbers g = normal_scores(n, 1, random), d(n), p(n);
    sequence_backward(solver, g, d);
    for (std::size_t i = 0; i < n; ++i) {
      const double step = 1e-6;
      const auto loss = [&, &map = *oracle](double change) {
        Numbers moved = scores;
        moved[2 * i + 1] += change;
        SparseMap other;
        other.solve(map, moved);
        sequence_weights(other, p);
        return dot_of(p, g);
      };
      ASSERT_NEAR(d[i], (loss(step) - loss(-step)) / (2 * step), 1e-7) << "trial " << trial;
    }
  }
  EXPECT_GT(smooth, 500);
}

TEST(SparseMap, SolvesAThousandChains) {
  expect_thousand([](std::size_t n, int trial) {
    const double coupling = trial % 5 * 0.4 - 0.6;
    return std::pair{std::make_unique<ChainOracle>(n, coupling), sequence_score(coupling, 0)};
  });
}

TEST(SparseMap, SolvesAThousandChainsOfFewKeys) {
  expect_thousand([](std::size_t n, int trial) {
    const double coupling = trial % 5 * 0.4 - 0.6;
    const std::size_t most = 1 + static_cast<std::size_t>(trial) % 3;
    return std::pair{std::make_unique<ChainOracle>(n, coupling, most),
                     sequence_score(coupling, most)};
  });
}

TEST(SparseMap, SolvesAThousandSpans) {
  expect_thousand([](std::size_t n, int) {
    return std::pair{std::make_unique<SpanOracle>(n), ChoiceScore(run_score)};
  });
}

TEST(SparseMap, HasTheMaximumOfItsObjective) {
  const Numbers theta = {0.4, -0.2, 0.9, 0.1}, scores = state_scores(theta);
  const ChainOracle oracle(4, 0.7);
  SparseMap solver;
  solver.solve(oracle, scores);
  double expected = 0;
  for (std::size_t a = 0; a < solver.members(); ++a) {
    Choice z(4);
    for (std::size_t i = 0; i < 4; ++i) z[i] = has_part(solver.member(a), 2 * i + 1) ? 1 : 0;
    expected += solver.weights()[a] * sequence_score(0.7, 0)(theta, z);
  }
  for (const double mu : solver.expectation()) expected -= mu * mu / 2;
  EXPECT_NEAR(solver.maximum(), expected, 1e-14);
}

TEST(SparseMap, StartsWarmAtTheSameSolutionInFewerCalls) {
  Random random(4);
  std::size_t cold_calls = 0, warm_calls = 0;
  SparseMap warm;
  for (int trial = 0; trial < 50; ++trial) {
    const Numbers theta = normal_scores(30, 2, random);
    Numbers changed = theta;
    const Numbers change = normal_scores(30, 0.04, random);
    for (std::size_t i = 0; i < 30; ++i) changed[i] += change[i];
    const ChainOracle oracle(30, 1), next_oracle(30, 1.02);
    const Numbers scores = state_scores(theta), next_scores = state_scores(changed);
    warm.solve(oracle, scores);
    warm.solve_warm(next_oracle, next_scores);
    warm_calls += warm.calls();
    SparseMap cold;
    cold.solve(next_oracle, next_scores);
    cold_calls += cold.calls();
    expect_all_near(Numbers(warm.expectation().begin(), warm.expectation().end()),
                    Numbers(cold.expectation().begin(), cold.expectation().end()), 1e-12);
  }
  EXPECT_LT(3 * warm_calls, cold_calls);
  const Numbers other = {0, 1};  // of another size: from the beginning
  warm.solve_warm(ChainOracle(1, 1), other);
  expect_all_near(Numbers(warm.expectation().begin(), warm.expectation().end()), {0, 1}, 0);
}

TEST(SparseMap, TakesTheGradientOfAWeightedLossOverMembers) {
  const Numbers theta = {-0.33, -0.07, 0.74}, scores = state_scores(theta);
  const ChainOracle oracle(3, 0.26);
  SparseMap solver;
  solver.solve(oracle, scores);
  // A loss that is linear in the expected parts is one over members, too.
  const Numbers g = {0.3, -0.7, 1.1}, upstream = state_scores(g);
  Numbers of_members(solver.members(), 0.0), by_members(6), by_parts(6);
  for (std::size_t a = 0; a < solver.members(); ++a) {
    for (std::size_t i = 0; i < 6; ++i) {
      if (has_part(solver.member(a), i)) of_members[a] += upstream[i];
    }
  }
  solver.weights_backward(of_members, by_members);
  solver.backward(upstream, by_parts);
  expect_all_near(by_members, by_parts, 1e-15);
}

}  // namespace
}  // namespace heed::attention
