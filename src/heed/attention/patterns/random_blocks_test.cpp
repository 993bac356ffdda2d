// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern random_blocks.
#include <set>

#include "heed/attention/patterns/testing.h"

namespace heed::attention::test {
namespace {

constexpr PatternCall kCall = {.heads = 3, .queries = 40, .keys = 45};

// The blocks of keys in a row; a failure when one is seen in part.
std::set<std::int64_t> blocks_of(const std::vector<char>& row, std::int64_t size) {
  std::set<std::int64_t> blocks;
  for (std::size_t key = 0; key < row.size(); ++key) {
    const auto begin = key / size * size;
    EXPECT_EQ(row[key], row[begin]) << "key " << key;
    if (row[key] != 0) blocks.insert(static_cast<std::int64_t>(begin) / size);
  }
  return blocks;
}

TEST(RandomBlocks, ShowEachBlockOfQueriesItsOwnDraw) {
  const auto pattern = make_pattern("random_blocks", {{"size", "4"}, {"count", "3"}});
  std::set<std::set<std::int64_t>> draws;
  for (std::int64_t head = 0; head < kCall.heads; ++head) {
    const Mask mask = mask_of(*pattern, kCall, 0, head);
    for (std::size_t query = 0; query < mask.size(); ++query) {
      EXPECT_EQ(mask[query], mask[query / 4 * 4]) << "query " << query;
      EXPECT_EQ(blocks_of(mask[query], 4).size(), 3u) << "query " << query;
      draws.insert(blocks_of(mask[query], 4));
    }
  }
  EXPECT_GT(draws.size(), 20u) << "of 30 draws nearly all differ";
}

TEST(RandomBlocks, ClassifyTilesAsTheRowsSay) {
  for (const char* size : {"1", "4", "7"}) {
    const auto pattern = make_pattern("random_blocks", {{"size", size}, {"count", "3"}});
    std::vector<Mask> masks;
    for (std::int64_t head = 0; head < kCall.heads; ++head) {
      masks.push_back(mask_of(*pattern, kCall, 0, head));
    }
    expect_follows(*pattern, kCall,
                   [&](auto, auto h, auto i, auto j) { return masks[h][i][j] != 0; });
  }
}

TEST(RandomBlocks, ShowEverythingWhenTheyAreAsManyAsThereAre) {
  expect_follows_everywhere(*make_pattern("random_blocks", {{"size", "4"}, {"count", "1000"}}),
                            [](auto...) { return true; });
}

TEST(RandomBlocks, DependOnTheSeed) {
  const auto draw = [](const char* seed) {
    return mask_of(*make_pattern("random_blocks", {{"size", "4"}, {"seed", seed}}), kCall);
  };
  EXPECT_EQ(draw("1"), draw("1"));
  EXPECT_NE(draw("1"), draw("2"));
}

TEST(RandomBlocks, TakeEveryBlockEquallyOften) {
  std::vector<int> seen(10);
  const auto pattern = make_pattern("random_blocks", {{"size", "1"}, {"count", "3"}});
  const PatternCall call = {.queries = 10'000, .keys = 10};
  for (const auto& row : mask_of(*pattern, call)) {
    for (std::size_t key = 0; key < 10; ++key) seen[key] += row[key];
  }
  // 3000 each on average, with a deviation of sqrt(10^4 * .3 * .7) = 46.
  for (const int count : seen) EXPECT_NEAR(count, 3000, 5 * 46);
}

TEST(RandomBlocks, OfThePastStayTheSameWhileKeysAreAdded) {
  const auto pattern =
      make_pattern("random_blocks", {{"size", "3"}, {"count", "2"}, {"from", "past"}});
  const Mask whole = mask_of(*pattern, {.queries = 30, .keys = 30});
  for (std::int64_t query = 0; query < 30; ++query) {
    const Mask step = mask_of(*pattern, {.queries = 1, .keys = query + 1, .first_query = query});
    auto row = whole[static_cast<std::size_t>(query)];
    for (const std::int64_t block : blocks_of(row, 3)) EXPECT_LE(block, query / 3);
    row.resize(step[0].size());
    EXPECT_EQ(step[0], row) << "query " << query;
  }
}

}  // namespace
}  // namespace heed::attention::test
