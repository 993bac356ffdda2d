// SPDX-License-Identifier: Apache-2.0
// Shares that know nothing.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(Uniform, KnowsNothing) {
  EXPECT_EQ(shares("uniform", SumSubject({1, 2, 3, 4})), std::vector<double>(4, .25));
}

}  // namespace
}  // namespace heed::explain
