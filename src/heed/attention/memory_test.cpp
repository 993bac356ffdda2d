// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/memory.h"

#include <gtest/gtest.h>

#include "heed/attention/mechanism.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

Tensor counted(const Shape& shape) {
  Tensor x(shape);
  Real* data = x.mutable_data();
  for (std::int64_t i = 0; i < x.size(); ++i) data[i] = static_cast<Real>(i) / 10;
  return x;
}

TEST(Memory, ReorderedTakesKeysValuesProjectionsAndLengthsOfTheRows) {
  Random random(3);
  const Mechanism look("additive | padding", {.query_width = 4, .key_width = 3, .value_width = 2},
                       random);
  const Memory all = look.memory(counted({3, 1, 5, 3}), counted({3, 1, 5, 2}),
                                 {.lengths = Ids::of({3}, {5, 2, 4})});
  const Memory beams = all.reordered(Ids::of({4}, {2, 2, 0, 1}));
  ASSERT_EQ(beams.keys.shape(), Shape({4, 1, 5, 3}));
  EXPECT_EQ(beams.data.lengths.values(), (std::vector<std::int32_t>{4, 4, 5, 2}));
  EXPECT_EQ(beams.keys.value().select(0, 1).values(), all.keys.value().select(0, 2).values());
  EXPECT_EQ(beams.values.value().select(0, 3).values(), all.values.value().select(0, 1).values());
  EXPECT_EQ(beams.projected[0][0].value().select(0, 2).values(),
            all.projected[0][0].value().select(0, 0).values());
}

TEST(Memory, OfAScoreThatTakesKeysAsTheyAreKeepsOneCopyOfThem) {
  Random random(3);
  const Mechanism look("dot", {.query_width = 3, .key_width = 3, .value_width = 2}, random);
  Memory memory = look.memory(Tensor::zeros({2, 1, 0, 3}), Tensor::zeros({2, 1, 0, 2}));
  for (int step = 0; step < 3; ++step) {
    memory = look.grown(memory, counted({2, 1, 1, 3}), counted({2, 1, 1, 2}));
    EXPECT_TRUE(same_elements(memory.projected[0][0], memory.keys)) << step;
  }
  const Memory beams = memory.reordered(Ids::of({1}, {1}));
  EXPECT_TRUE(same_elements(beams.projected[0][0], beams.keys));
}

TEST(Memory, ReorderedRefusesRowsThatAreNotAList) {
  Random random(3);
  const Mechanism look("dot", {.query_width = 3, .key_width = 3, .value_width = 2}, random);
  const Memory memory = look.memory(counted({2, 1, 4, 3}), counted({2, 1, 4, 2}));
  EXPECT_THROW(memory.reordered(Ids::of({1, 1}, {0})), UsageError);
  EXPECT_THROW(memory.reordered(Ids::of({1}, {2})), UsageError);
}

}  // namespace
}  // namespace heed::attention
