// SPDX-License-Identifier: Apache-2.0
// The dense memory against the classical one.
#include <gtest/gtest.h>

#include "heed/models/associative_random.h"
#include "heed/models/associative_testing.h"

namespace heed::models {
namespace {

using testing::kClassical;

TEST(DenseMemory, OfPowerTwoIsTheClassicalOne) {
  Random random(4);
  const auto patterns = random_patterns(5, 15, random);
  const auto classical = make_associative_memory(patterns, kClassical);
  const auto dense = make_associative_memory(patterns, {.rule = MemoryRule::dense, .power = 2});
  for (int i = 0; i < 50; ++i) {
    const MemoryPattern state = random_patterns(1, 15, random).front();
    EXPECT_EQ(dense->step(state), classical->step(state));
    // -sum (x.s)^2 / N^2 = 2 E / N less the diagonal, P / N.
    EXPECT_NEAR(dense->energy(state), 2 * classical->energy(state) / 15 - 5. / 15, 1e-12);
  }
}

}  // namespace
}  // namespace heed::models
