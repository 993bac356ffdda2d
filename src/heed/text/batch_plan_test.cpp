// SPDX-License-Identifier: Apache-2.0
// Tests of who shares a batch.
#include "heed/text/batch_plan.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using Ends = std::vector<std::size_t>;

TEST(CutBatches, CountPaddingOfTheWiderSide) {
  const std::vector<std::size_t> lengths = {2, 2, 3, 3, 5, 9, 2};
  // 2 2 3 3: 4 x 3 = 12; with 5 it would be 5 x 5. 9 alone is more than 12 with anything.
  EXPECT_EQ(cut_batches(lengths, {.tokens = 12}), (Ends{4, 5, 6, 7}));
  EXPECT_EQ(cut_batches(lengths, {.tokens = 1}), (Ends{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(cut_batches(lengths, {.sentences = 3}), (Ends{3, 6, 7}));
  EXPECT_TRUE(cut_batches({}, {}).empty());
}

TEST(CutBatches, RefuseASizeThatHoldsNothing) {
  EXPECT_TRUE(test::holds(test::message_of<UsageError>([] { cut_batches({}, {.tokens = 0}); }),
                          "holds nothing"));
}

TEST(LineBatches, AreSortedAndSayWhereEachRowBelongs) {
  const std::vector<Tokens> lines = {{5}, {6, 6, 6}, {}, {7, 7}};
  const std::vector<LineBatch> batches = line_batches(lines, {.sentences = 2});
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].places, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(batches[0].rows.ids, (Tokens{6, 6, 6, kEnd, 7, 7, kEnd, kPadding}));
  EXPECT_EQ(batches[1].places, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(batches[1].rows.ids, (Tokens{5, kEnd, kEnd, kPadding}));
}

TEST(PairBatches, KeepTheSidesAndLinesOfAPairTogether) {
  const std::vector<TokenPair> pairs = {
      {{5, 3}, {8, 3}, 1}, {{6, 6, 3}, {9, 9, 9, 3}, 2}, {{7, 3}, {9, 9, 3}, 5}};
  const std::vector<PairBatch> batches = pair_batches(pairs, {.tokens = 8});
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].lines, (std::vector<std::uint64_t>{2, 5}));
  EXPECT_EQ(batches[0].source.ids, (Tokens{6, 6, 3, 7, 3, 0}));
  EXPECT_EQ(batches[0].target.ids, (Tokens{9, 9, 9, 3, 9, 9, 3, 0}));
  EXPECT_EQ(batches[1].lines, (std::vector<std::uint64_t>{1}));
}

}  // namespace
}  // namespace heed::text
