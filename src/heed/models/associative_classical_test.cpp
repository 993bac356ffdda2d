// SPDX-License-Identifier: Apache-2.0
// The classical memory against worked numbers.
#include <gtest/gtest.h>

#include "heed/models/associative_testing.h"

namespace heed::models {
namespace {

using testing::kClassical;

TEST(ClassicalMemory, HasTheWorkedStates) {
  const std::vector<MemoryPattern> two{{1, 1, 1, 1, -1, -1, -1, -1}, {1, -1, 1, -1, 1, -1, 1, -1}};
  const auto memory = make_associative_memory(two, kClassical);
  const MemoryPattern start{-1, 1, 1, 1, -1, -1, 1, -1};
  EXPECT_DOUBLE_EQ(memory->energy(start), 0);
  const MemoryPattern between{1, 1, 1, 1, -1, -1, 1, -1};
  EXPECT_DOUBLE_EQ(memory->energy(between), -1.5);
  const Recollection found = recall(*memory, start);
  ASSERT_EQ(found.steps.size(), 2u);
  EXPECT_TRUE(found.settled);
  EXPECT_EQ(found.steps[1].state, two[0]);
  EXPECT_DOUBLE_EQ(found.steps[1].energy, -3);
}

}  // namespace
}  // namespace heed::models
