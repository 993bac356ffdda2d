// SPDX-License-Identifier: Apache-2.0
// What tests of associative memories share.
#pragma once

#include <gtest/gtest.h>

#include "heed/models/associative_memory.h"

namespace heed::models::testing {

inline constexpr AssociativeOptions kClassical{.rule = MemoryRule::classical};

inline const std::vector<MemoryPattern> kThree{{1, -1, 1, 1}, {-1, 1, 1, -1}, {1, 1, -1, 1}};

inline void expect_pattern(const MemoryPattern& found, const MemoryPattern& right,
                           double tolerance) {
  ASSERT_EQ(found.size(), right.size());
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(found[i], right[i], tolerance) << i;
}

}  // namespace heed::models::testing
