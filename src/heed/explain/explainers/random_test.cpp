// SPDX-License-Identifier: Apache-2.0
// Draws that hang on the seed alone.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(Drawn, HangsOnTheSeedAlone) {
  const SumSubject subject({1, 2, 3});
  EXPECT_EQ(shares("random", subject), shares("random(seed=1)", subject));
  EXPECT_NE(shares("random", subject), shares("random(seed=2)", subject));
}

}  // namespace
}  // namespace heed::explain
