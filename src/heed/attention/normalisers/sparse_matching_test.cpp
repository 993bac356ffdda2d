// SPDX-License-Identifier: Apache-2.0
// Sparse matchings: golden values, optimality against every matching, what leaves none.
#include <gtest/gtest.h>

#include <set>

#include "heed/attention/normalisers/sparse_table_testing.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

const SparseKind kMatching{"sparse_matching",
                           [](const Choices& keys) {
                             return std::set<std::int32_t>(keys.begin(), keys.end()).size() ==
                                    keys.size();
                           },
                           false};

TEST(SparseMatching, AgreesWithTheGoldenValues) {
  expect_golden_table("matching", "sparse_matching", 4);
  expect_golden_table("matching_three_rows", "sparse_matching", 3);
}

TEST(SparseMatching, IsOptimalForAThousandTables) {
  expect_thousand_tables(kMatching);
}
TEST(SparseMatching, BecomesTheBestOneAsScoresGrow) {
  expect_best_as_scores_grow(kMatching);
}
TEST(SparseMatching, GivesMostPairsNoWeight) {
  expect_few_cells(kMatching);
}

TEST(SparseMatching, GivesNoKeyMoreThanOne) {
  Random random(3);
  const std::vector<double> p = matrix_weights(*kMatching.part(), drawn_table(8, 10, 0.5, random));
  for (std::size_t k = 0; k < 10; ++k) {
    double sum = 0;
    for (std::size_t q = 0; q < 8; ++q) sum += p[q * 10 + k];
    EXPECT_LE(sum, 1 + 1e-12);
  }
}

TEST(SparseMatching, SaysWhyThereIsNone) {
  Random random(2);
  const auto told = [](const TableData<double>& data) {
    return message_of([&] { matrix_weights(*kMatching.part(), data); });
  };
  EXPECT_NE(told(drawn_table(3, 2, 1, random)).find("no more queries than keys"),
            std::string::npos);
  TableData<double> data = drawn_table(2, 2, 1, random);
  data.scores[0] = data.scores[2] = -INFINITY;  // both may have the second key only
  EXPECT_NE(told(data).find("the mask leaves no key for each of the 2 queries"), std::string::npos);
}

}  // namespace
}  // namespace heed::attention
