// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/compose/key_value_cache.h"

#include <gtest/gtest.h>

#include "heed/attention/memory.h"
#include "heed/attention/multi_head.h"
#include "heed/attention/testing.h"
#include "heed/base/error.h"
#include "heed/tensor/join.h"

namespace heed::attention {
namespace {

// [2,1,count,3], all elements `value`.
Tensor tokens(std::int64_t count, Real value) {
  return Tensor::full({2, 1, count, 3}, value);
}

TEST(KeyValueCache, GivesAPlaceAwayOnce) {
  KeyValueCache room(tokens(4, 1), tokens(4, 2), 1);
  EXPECT_TRUE(room.append({4}, tokens(1, 3), tokens(1, 4)));
  EXPECT_FALSE(room.append({4}, tokens(1, 5), tokens(1, 6)));
  EXPECT_EQ(room.keys(5).at({1, 0, 4, 2}), 3);
  EXPECT_EQ(room.values(5).at({1, 0, 4, 2}), 4);
  EXPECT_EQ(room.keys(5).at({1, 0, 3, 0}), 1);
}

TEST(KeyValueCache, SaysWhenNoPlaceIsLeft) {
  KeyValueCache room(tokens(15, 1), tokens(15, 1), 1);  // 16 + 8 places
  EXPECT_TRUE(room.append({15}, tokens(9, 2), tokens(9, 2)));
  EXPECT_FALSE(room.append({24}, tokens(1, 3), tokens(1, 3)));
}

TEST(KeyValueCache, CopiesRowsWithPlacesOfTheirOwn) {
  Tensor keys = tokens(2, 1);
  keys.select(0, 1).assign(Tensor::full({1, 2, 3}, 7));
  KeyValueCache room(keys, keys, 1);
  const auto beams = room.rows(Ids::of({3}, {1, 0, 1}), {2});
  EXPECT_EQ(beams->keys(2).at({0, 0, 1, 2}), 7);
  EXPECT_EQ(beams->keys(2).at({1, 0, 1, 2}), 1);
  EXPECT_EQ(beams->values(2).at({2, 0, 0, 0}), 7);
  EXPECT_TRUE(room.append({2}, tokens(1, 3), tokens(1, 3)));
  EXPECT_TRUE(beams->append({2}, Tensor::full({3, 1, 1, 3}, 9), Tensor::full({3, 1, 1, 3}, 9)));
  EXPECT_EQ(room.keys(3).at({1, 0, 2, 0}), 3);
  EXPECT_THROW(room.rows(Ids::of({1}, {2}), {2}), UsageError);
}

TEST(KeyValueCache, FillsEachSequenceFromItsOwnEnd) {
  const Ids lengths = Ids::of({2}, {4, 1});
  KeyValueCache room(tokens(5, 1), tokens(5, 1), 1, lengths);
  EXPECT_TRUE(room.append({5, lengths}, tokens(2, 3), tokens(2, 4)));
  EXPECT_FALSE(room.append({5, lengths}, tokens(2, 5), tokens(2, 6))) << "taken";
  const auto row = [&](std::int64_t b) {
    return room.keys(6).select(0, b).select(0, 0).select(1, 0).values();
  };
  EXPECT_EQ(row(0), (std::vector<Real>{1, 1, 1, 1, 3, 3}));
  EXPECT_EQ(row(1), (std::vector<Real>{1, 3, 3, 1, 1, 0})) << "padding is zeros where it is new";
  EXPECT_EQ(room.values(6).at({1, 0, 2, 0}), 4);
  // The second sequence alone may still go on where it ends.
  const Ids third = Ids::of({1}, {3});
  const auto alone = room.rows(Ids::of({1}, {1}), {6, third});
  EXPECT_TRUE(
      alone->append({6, third}, Tensor::full({1, 1, 1, 3}, 8), Tensor::full({1, 1, 1, 3}, 8)));
  EXPECT_EQ(alone->keys(6).at({0, 0, 3, 0}), 8);
}

TEST(Memory, GrownTwiceFromTheSameStateHasTwoFutures) {
  const NoGradient values_only;
  Random random(1);
  const MultiHead heads({.query_width = 6, .heads = 2, .project = false}, random);
  const auto word = [](Real value) { return Variable(Tensor::full({1, 1, 6}, value)); };
  Memory memory = heads.memory(word(1), word(1));
  for (int i = 2; i < 30; ++i) {
    const Real next = static_cast<Real>(i);
    const Memory one = heads.grown(memory, word(next), word(next));
    const Memory other = heads.grown(memory, word(-next), word(-next));
    ASSERT_EQ(one.size(), i);
    EXPECT_EQ(one.keys.value().at({0, 1, i - 1, 2}), next);
    EXPECT_EQ(other.keys.value().at({0, 1, i - 1, 2}), -next);
    EXPECT_EQ(other.values.value().at({0, 0, i - 2, 0}), next - 1);
    memory = i % 7 == 0 ? one.reordered(Ids::of({1}, {0})) : one;
  }
  for (int i = 1; i < 30; ++i) EXPECT_EQ(memory.keys.value().at({0, 0, i - 1, 0}), i);
}

TEST(Memory, GrownWithGradientsCopies) {
  Random random(1);
  const MultiHead heads({.query_width = 6, .heads = 2, .project = false}, random);
  const auto word = [](Real value) { return Variable(Tensor::full({1, 1, 6}, value)); };
  const Memory grown = heads.grown(heads.memory(word(1), word(1)), word(2), word(2));
  EXPECT_EQ(grown.cache, nullptr);
  EXPECT_EQ(grown.keys.value().at({0, 0, 1, 0}), 2);
}

}  // namespace
}  // namespace heed::attention
