// SPDX-License-Identifier: Apache-2.0
// Plans visit every allowed key, no empty panel, and ask little.
#include "heed/kernels/attention/attention_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heed::kernels {
namespace {

// Keys from query - 10 to query.
class WindowMask final : public KeyMask {
 public:
  TileCover classify(const TileRange& tile) const noexcept override {
    ++questions;
    if (tile.key_begin >= tile.query_end || tile.key_end + 10 <= tile.query_begin) {
      return TileCover::empty;
    }
    const bool full =
        tile.key_end <= tile.query_begin + 1 && tile.key_begin + 10 >= tile.query_end - 1;
    return full ? TileCover::full : TileCover::mixed;
  }
  void allowed(std::size_t, std::size_t, std::size_t query, std::span<const std::size_t> tiles,
               std::uint64_t* words) const noexcept override {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      words[i] = 0;
      for (std::size_t c = 0; c < kMaskKeys; ++c) {
        const std::size_t key = tiles[i] + c;
        if (key <= query && key + 10 >= query) words[i] |= std::uint64_t{1} << c;
      }
    }
  }
  mutable int questions = 0;
};

TEST(AttentionPlan, VisitsOnlyThePanelsAStripSees) {
  const WindowMask mask;
  BlockPlan plan;
  plan.make(&mask, {0, 0, 96, 192, 0, 4096}, 4096);
  StripPlan strip;
  plan.strip(0, 6, 0, 4096, 16, strip);  // queries 96 to 101 see keys 86 to 101
  ASSERT_EQ(strip.spans.size(), 1u);
  EXPECT_EQ(strip.spans[0].begin, 5u);
  EXPECT_EQ(strip.spans[0].end, 7u);
  EXPECT_EQ(strip.masked.size(), 2u);
}

TEST(AttentionPlan, TellsWhichKeysItVisits) {
  const WindowMask mask;
  BlockPlan plan;
  plan.make(&mask, {0, 0, 96, 192, 0, 4096}, 4096);
  EXPECT_TRUE(plan.visits(64, 128));
  EXPECT_FALSE(plan.visits(192, 4096));
  EXPECT_FALSE(plan.visits(0, 64));
}

TEST(AttentionPlan, AsksFewQuestionsOfALongMemory) {
  const WindowMask mask;
  BlockPlan plan;
  plan.make(&mask, {0, 0, 4800, 4896, 0, 65536}, 65536);
  EXPECT_LT(mask.questions, 40);
}

TEST(AttentionPlan, HidesTheKeysThatFillUpTheLastPanel) {
  BlockPlan plan;
  plan.make(nullptr, {0, 0, 0, 6, 0, 70}, 70);
  StripPlan strip;
  plan.strip(0, 6, 0, 70, 16, strip);
  ASSERT_EQ(strip.spans.size(), 1u);
  EXPECT_EQ(strip.spans[0].end, 5u);
  ASSERT_EQ(strip.masked.size(), 1u);
  EXPECT_EQ(strip.masked[0].panel, 4u);
  EXPECT_EQ(strip.masked[0].words[0], 0x3Fu);
}

TEST(AttentionPlan, IsEmptyWithoutKeysOrQueries) {
  BlockPlan plan;
  plan.make(nullptr, {0, 0, 0, 6, 0, 0}, 0);
  EXPECT_TRUE(plan.empty());
  const WindowMask mask;
  plan.make(&mask, {0, 0, 0, 6, 64, 128}, 128);
  EXPECT_TRUE(plan.empty());
}

}  // namespace
}  // namespace heed::kernels
