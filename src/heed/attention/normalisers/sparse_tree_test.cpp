// SPDX-License-Identifier: Apache-2.0
// Sparse trees: golden values, optimality against every tree of each kind, what leaves none.
#include <gtest/gtest.h>

#include "heed/attention/normalisers/best_tree.h"
#include "heed/attention/normalisers/sparse_table.h"
#include "heed/attention/normalisers/sparse_table_testing.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

std::vector<SparseKind> sparse_trees() {
  std::vector<SparseKind> kinds;
  for (const bool projective : {true, false}) {
    for (const Roots roots : {Roots::one, Roots::many}) {
      kinds.push_back({fmt::format("sparse_tree(projective={}, roots={})", projective,
                                   roots == Roots::one ? "one" : "many"),
                       [=](const Choices& heads) {
                         return is_tree(heads, {.projective = projective, .roots = roots});
                       }});
    }
  }
  return kinds;
}

TEST(SparseTree, AgreesWithTheGoldenValues) {
  expect_golden_table("tree_projective_one_root", "sparse_tree", 4);
}

TEST(SparseTree, IsOptimalForAThousandTablesOfEachKind) {
  for (const SparseKind& kind : sparse_trees()) expect_thousand_tables(kind);
}

TEST(SparseTree, BecomesTheBestOneAsScoresGrow) {
  for (const SparseKind& kind : sparse_trees()) expect_best_as_scores_grow(kind);
}

TEST(SparseTree, GivesMostArcsOfALongSentenceNoWeight) {
  for (const SparseKind& kind : sparse_trees()) expect_few_cells(kind);
}

TEST(SparseTree, MakesAllWeightsNaNOfANaN) {
  const TableData<double> data{.queries = 2, .keys = 2, .scores = {0, NAN, 1, 2}};
  for (const double weight : matrix_weights(*normaliser_of("sparse_tree"), data)) {
    EXPECT_TRUE(std::isnan(weight));
  }
}

TEST(SparseTree, SaysWhyThereIsNone) {
  Random random(2);
  const auto told = [](const TableData<double>& data) {
    return message_of([&] { matrix_weights(*normaliser_of("sparse_tree"), data); });
  };
  EXPECT_NE(told(drawn_table(2, 3, 1, random)).find("sparse_tree: 2 queries over 3 keys"),
            std::string::npos);
  TableData<double> data = drawn_table(2, 2, 1, random);
  data.scores[0] = data.scores[3] = -INFINITY;  // neither word may hang on the root
  EXPECT_NE(told(data).find("sparse_tree: word 0 may hang on words only that lead to no root"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::attention
