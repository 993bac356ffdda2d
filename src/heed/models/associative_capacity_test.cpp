// SPDX-License-Identifier: Apache-2.0
// Damage, and the capacity that was measured.
#include "heed/models/associative_capacity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/associative_testing.h"

namespace heed::models {
namespace {

using testing::kClassical;

TEST(Capacity, TurnsAndHidesWhatItSays) {
  Random random(1);
  const MemoryPattern ones(16, 1);
  EXPECT_EQ(std::ranges::count(damaged(ones, {.flip = .25}, random), -1), 4);
  EXPECT_EQ(damaged({1, 1, 1, 1}, {.hide = HiddenSide::bottom, .rows = 2}, random),
            (MemoryPattern{1, 1, 0, 0}));
  EXPECT_EQ(damaged({1, 1, 1, 1}, {.hide = HiddenSide::left, .rows = 2}, random),
            (MemoryPattern{0, 1, 0, 1}));
  EXPECT_EQ(test::message_of<UsageError>([&] {
              damaged({1, 1}, {.hide = HiddenSide::top}, random);
            }),
            "damage: a picture of 1 rows and 2 columns has no half to hide there");
}

// The table of the demonstration: 64 units, a tenth of them turned.
TEST(Capacity, FallsAsMeasuredForRandomBits) {
  const std::pair<std::int64_t, double> table[] = {{4, 1},    {6, .97},  {8, .9},
                                                   {10, .72}, {14, .36}, {20, .04}};
  for (const auto& [patterns, exact] : table) {
    EXPECT_NEAR(capacity(patterns, {.memory = kClassical, .recalls = 3000}).exact, exact, .05)
        << patterns;
  }
  EXPECT_EQ(capacity(1024, {.recalls = 100}).exact, 1);
  const CapacityOptions dense{.memory = {.rule = MemoryRule::dense}};
  EXPECT_GE(capacity(20, dense).exact, .99);
}

}  // namespace
}  // namespace heed::models
