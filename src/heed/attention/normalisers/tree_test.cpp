// SPDX-License-Identifier: Apache-2.0
// Trees: golden values, every tree listed, counts, what is absent and what is forbidden.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/attention/normalisers/best_tree.h"
#include "heed/attention/table_structure_testing.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

struct Kind {
  const char* golden;
  TreeForm form;
  std::unique_ptr<Normaliser> part() const {
    return normaliser("tree", {{"projective", form.projective ? "true" : "false"},
                               {"roots", form.roots == Roots::one ? "one" : "many"}});
  }
  std::vector<Choices> trees(const TableData<double>& data) const {
    return structures_of(data, [&](const Choices& heads) { return is_tree(heads, form); });
  }
};
const Kind kKinds[] = {{"projective_one_root", {true, Roots::one}},
                       {"projective_roots", {true, Roots::many}},
                       {"any_one_root", {false, Roots::one}},
                       {"any_roots", {false, Roots::many}}};

TableData<double> words(std::int64_t n, double spread, int seed = 1, double step = 0) {
  return {.queries = n,
          .keys = n,
          .scores = uneven(static_cast<std::size_t>(n * n), spread, seed, step)};
}

TEST(Tree, AgreesWithTheGoldenValues) {
  const nlohmann::json& all = structured_golden().at("tree");
  const TableData<double> data{.queries = 4, .keys = 4, .scores = matrix_of(all.at("s"))};
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.golden);
    const nlohmann::json& expected = all.at(kind.golden);
    const auto part = kind.part();
    expect_all_near(matrix_weights(*part, data), matrix_of(expected.at("p")), 1e-12);
    expect_all_near(matrix_gradient(*part, data, matrix_of(all.at("g"))),
                    matrix_of(expected.at("vjp")), 1e-12);
    EXPECT_NEAR(maximum_of(*part, data), expected.at("log_partition").get<double>(), 1e-12);
    EXPECT_EQ(best_of(*part, data), expected.at("map_heads").get<Choices>());
    EXPECT_EQ(kind.trees(data).size(), expected.at("count").get<std::size_t>());
  }
}

TEST(Tree, IsTheSumOverAllTreesAtAnySpread) {
  for (const Kind& kind : kKinds) {
    const auto part = kind.part();
    for (std::int64_t n = 1; n <= 5; ++n) {
      // The largest needs exponents that no double has.
      for (const double spread : {1e-5, 1.0, 20.0, 1e4}) {
        SCOPED_TRACE(::testing::Message()
                     << kind.golden << ", " << n << " words, spread " << spread);
        const TableData<double> data = words(n, spread);
        const std::vector<double> g = uneven(data.scores.size(), 1, 7);
        const EnumeratedTables all = enumerated(data, kind.trees(data), g);
        // Scores of 1e4 are themselves known to 2e-12 only.
        const double tolerance = spread > 100 ? 1e-10 : 1e-13;
        expect_all_near(matrix_weights(*part, data), all.weights, tolerance);
        expect_all_near(matrix_gradient(*part, data, g), all.gradient, tolerance);
        EXPECT_NEAR(maximum_of(*part, data), all.log_sum, 1e-14 * std::max(100.0, spread));
        EXPECT_EQ(best_of(*part, data), all.best);
      }
    }
  }
}

TEST(Tree, FindsTheFirstOfTheBestTreesWhenScoresTie) {
  for (const Kind& kind : kKinds) {
    for (int seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(::testing::Message() << kind.golden << ", seed " << seed);
      const TableData<double> data = words(seed % 2 == 0 ? 4 : 5, 1.5, seed, 1);
      const std::vector<double> g(data.scores.size());
      EXPECT_EQ(best_of(*kind.part(), data), enumerated(data, kind.trees(data), g).best);
    }
    const TableData<double> zeros = words(5, 0);
    EXPECT_EQ(best_of(*kind.part(), zeros), Choices(5, 0));  // all hang on the first word
  }
}

TEST(Tree, CountsTreesWhenAllScoresAreZero) {
  const std::vector<double> expected[] = {{1, 2, 7, 30, 143}, {1, 3, 12, 55, 273}};
  for (const Kind& kind : kKinds) {
    for (int n = 1; n <= 5; ++n) {
      const bool one = kind.form.roots == Roots::one;
      const double count = kind.form.projective
                               ? expected[one ? 0 : 1][static_cast<std::size_t>(n - 1)]
                               : std::pow(one ? n : n + 1, n - 1);
      EXPECT_NEAR(std::exp(maximum_of(*kind.part(), words(n, 0))), count, 1e-12 * count);
    }
    // 200 words have more projective trees than a double holds twice: C(3n-2, n-1) / n, or
    // C(3n, n) / (2n + 1).
    const double many = maximum_of(*kind.part(), words(200, 0));
    const auto choose = [](double n, double k) {
      return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
    };
    const bool one = kind.form.roots == Roots::one;
    EXPECT_NEAR(many,
                kind.form.projective
                    ? (one ? choose(598, 199) - std::log(200) : choose(600, 200) - std::log(401))
                    : 199 * std::log(one ? 200 : 201),
                1e-9);
  }
}

TEST(Tree, SumsRowsToOneAndItsSlopesToZero) {
  for (const Kind& kind : kKinds) {
    for (const double spread : {1.0, 20.0, 300.0}) {
      const TableData<double> data = words(30, spread);
      const std::vector<double> p = matrix_weights(*kind.part(), data);
      const std::vector<double> dz =
          matrix_gradient(*kind.part(), data, uneven(data.scores.size(), 1, 7));
      for (auto row = 0; row < 30; ++row) {
        EXPECT_NEAR(std::accumulate(p.begin() + row * 30, p.begin() + row * 30 + 30, 0.0), 1,
                    1e-12);
        EXPECT_NEAR(std::accumulate(dz.begin() + row * 30, dz.begin() + row * 30 + 30, 0.0), 0,
                    1e-12);
      }
    }
  }
}

TEST(Tree, IsNotChangedByANumberAddedToARow) {
  for (const Kind& kind : kKinds) {
    const TableData<double> data = words(5, 1);
    TableData<double> moved = data;
    for (std::size_t i = 10; i < 15; ++i) moved.scores[i] += 8;
    expect_all_near(matrix_weights(*kind.part(), moved), matrix_weights(*kind.part(), data), 1e-14);
  }
}

TEST(Tree, OfAnyKindDoesNotKnowTheOrderOfWords) {
  const std::size_t place[] = {3, 0, 4, 2, 1};
  for (const Kind& kind : kKinds) {
    const TableData<double> data = words(5, 1);
    TableData<double> moved = data;
    for (std::size_t i = 0; i < 25; ++i) {
      moved.scores[place[i / 5] * 5 + place[i % 5]] = data.scores[i];
    }
    const std::vector<double> p = matrix_weights(*kind.part(), data);
    const std::vector<double> q = matrix_weights(*kind.part(), moved);
    double apart = 0;
    for (std::size_t i = 0; i < 25; ++i) {
      apart = std::max(apart, std::abs(q[place[i / 5] * 5 + place[i % 5]] - p[i]));
    }
    if (kind.form.projective) {
      EXPECT_GT(apart, 1e-3);
    } else {
      EXPECT_LT(apart, 1e-14);
    }
  }
}

TEST(Tree, UsesNoForbiddenArc) {
  for (const Kind& kind : kKinds) {
    TableData<double> data = words(5, 2);
    for (std::size_t i = 0; i < 25; ++i) data.allowed.push_back(i % 4 != 2 && i != 0);
    const std::vector<double> g = uneven(25, 1, 7);
    const EnumeratedTables all = enumerated(data, kind.trees(data), g);
    SCOPED_TRACE(kind.golden);
    expect_all_near(matrix_weights(*kind.part(), data), all.weights, 1e-14);
    expect_all_near(matrix_gradient(*kind.part(), data, g), all.gradient, 1e-14);
    EXPECT_EQ(best_of(*kind.part(), data), all.best);
  }
}

// A word that may hang on the root only is the one root, wherever it stands.
TEST(Tree, FindsTheOneRootThatIsPossible) {
  for (const std::int64_t only : {0, 2, 3}) {
    TableData<double> data = words(4, 2);
    for (std::int64_t i = 0; i < 16; ++i) data.allowed.push_back(i / 4 != only || i % 4 == only);
    for (const Kind& kind : kKinds) {
      const std::vector<double> g = uneven(16, 1, 7);
      const EnumeratedTables all = enumerated(data, kind.trees(data), g);
      expect_all_near(matrix_weights(*kind.part(), data), all.weights, 1e-14);
      expect_all_near(matrix_gradient(*kind.part(), data, g), all.gradient, 1e-14);
      EXPECT_EQ(best_of(*kind.part(), data), all.best);
    }
  }
}

TEST(Tree, LeavesWordsOutThatNoneSeesOrThatSeeNone) {
  for (const Kind& kind : kKinds) {
    TableData<double> data = words(5, 2);
    // Word 1 asks for no head, though others might hang on it; nobody sees word 4, as padding.
    for (std::size_t i = 0; i < 25; ++i) data.allowed.push_back(i / 5 != 1 && i % 5 != 4);
    TableData<double> without{.queries = 3, .keys = 3, .scores = {}};
    for (const std::size_t i : {0, 2, 3, 10, 12, 13, 15, 17, 18}) {
      without.scores.push_back(data.scores[i]);
    }
    const std::vector<double> p = matrix_weights(*kind.part(), data);
    const std::vector<double> q = matrix_weights(*kind.part(), without);
    expect_all_near(std::vector<double>{p[0], p[2], p[3], p[10], p[12], p[13], p[15], p[17], p[18]},
                    q, 1e-15);
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 3, 1e-14);
    const Choices heads = best_of(*kind.part(), data);
    EXPECT_TRUE(heads[1] == -1 && heads[4] == -1 && heads[0] >= 0);
  }
}

TEST(Tree, SaysWhichWordHasNoHead) {
  const auto part = normaliser("tree");
  TableData<double> data = words(3, 1);
  // Word 1 sees word 2 only, which sees none and is therefore not there.
  data.allowed = {true, true, true, false, false, true, false, false, false};
  EXPECT_EQ(message_of([&] { matrix_weights(*part, data); }), "tree: word 1 may hang on no word");
  // Words 1 and 2 see each other.
  data.allowed = {true, true, true, false, false, true, false, true, false};
  EXPECT_EQ(message_of([&] { matrix_weights(*part, data); }),
            "tree: word 1 may hang on words only that lead to no root");
  // All three hang on the root.
  data.allowed = {true, false, false, false, true, false, false, false, true};
  EXPECT_NE(
      message_of([&] { matrix_weights(*part, data); }).find("no projective tree with one root"),
      std::string::npos);
  EXPECT_THROW(best_of(*part, data), UsageError);
  EXPECT_NO_THROW(matrix_weights(*normaliser("tree", {{"roots", "many"}}), data));
}

TEST(Tree, TakesOnlyAsManyQueriesAsKeys) {
  const TableData<double> data{.queries = 2, .keys = 3, .scores = uneven(6, 1, 1)};
  EXPECT_NE(message_of([&] { matrix_weights(*normaliser("tree"), data); }).find("2 queries over 3"),
            std::string::npos);
}

TEST(Tree, GivesNanForScoresThatAreNone) {
  for (const double bad : {double(NAN), double(INFINITY)}) {
    TableData<double> data = words(3, 1);
    data.scores[4] = bad;
    for (const double p : matrix_weights(*normaliser("tree"), data)) EXPECT_TRUE(std::isnan(p));
    for (const double dz : matrix_gradient(*normaliser("tree"), data, data.scores)) {
      EXPECT_TRUE(std::isnan(dz));
    }
  }
}

TEST(Tree, ApproachesTheBestTreeAsScoresGrow) {
  for (const Kind& kind : kKinds) {
    const TableData<double> data = words(6, 1e5);
    const std::vector<double> p = matrix_weights(*kind.part(), data);
    const Choices heads = best_of(*kind.part(), data);
    for (std::size_t d = 0; d < 6; ++d) {
      EXPECT_NEAR(p[d * 6 + static_cast<std::size_t>(heads[d])], 1, 1e-6);
    }
  }
}

TEST(Tree, KnowsItsStructuresOnly) {
  const TableData<double> data = words(3, 1);
  const PackedTable<double> packed(data);
  const auto part = normaliser("tree");
  const auto& matrix = matrix_part(*part);
  const Table<double> table = packed.table();
  EXPECT_EQ(matrix.table_regulariser(table, std::vector<double>{1, 0, 0, 1, 0, 0, 0, 1, 0}), 0);
  EXPECT_FALSE(matrix.table_regulariser(table, std::vector<double>{1, 0, 0, 0, 1, 0, 0, 1, 0}));
  EXPECT_FALSE(matrix.table_regulariser(table, std::vector<double>{1, 0, 0, .5, .5, 0, 0, 1, 0}));
  EXPECT_FALSE(matrix.table_regulariser(table, std::vector<double>{1, 0, 0, 1, 1, 0, 0, 1, 0}));
  EXPECT_FALSE(matrix.table_regulariser(table, std::vector<double>{0, 1, 0, 1, 0, 0, 0, 1, 0}));
}

TEST(Tree, RefusesOptionsItDoesNotHave) {
  EXPECT_THROW(normaliser("tree", {{"roots", "two"}}), UsageError);
  EXPECT_THROW(normaliser("tree", {{"projective", "maybe"}}), UsageError);
}

TEST(IsTree, SeesCirclesRootsAndCrossingArcs) {
  const TreeForm any{false, Roots::many}, projective{true, Roots::many}, one{true, Roots::one};
  EXPECT_TRUE(is_tree(Choices{0}, one));
  EXPECT_FALSE(is_tree(Choices{1, 0}, any));
  EXPECT_TRUE(is_tree(Choices{0, 1}, projective));
  EXPECT_FALSE(is_tree(Choices{0, 1}, one));
  EXPECT_TRUE(is_tree(Choices{0, 3, 0, 0}, any));  // 3 -> 1 and 0 -> 2 cross
  EXPECT_FALSE(is_tree(Choices{0, 3, 0, 0}, projective));
  EXPECT_FALSE(is_tree(Choices{2, 1, 2}, projective));  // 2 -> 0 spans the root 1
  EXPECT_FALSE(is_tree(Choices{0, 4}, any));
}

}  // namespace
}  // namespace heed::attention
