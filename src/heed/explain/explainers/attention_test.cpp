// SPDX-License-Identifier: Apache-2.0
// Weights as they are, and times what the output makes of them.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(Attended, IsTheWeightsAsTheyAre) {
  const AttendingSubject subject({1, 2, 3, 4});
  EXPECT_EQ(shares("attention", subject), subject.attention());
  EXPECT_EQ(shares("attention_gradient", subject), (std::vector<double>{0, .25, .5, .75}));
}

}  // namespace
}  // namespace heed::explain
