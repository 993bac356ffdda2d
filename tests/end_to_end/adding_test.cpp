// SPDX-License-Identifier: Apache-2.0
#include "adding.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::test {
namespace {

TEST(Adding, MarksOneNumberInEachHalfAndAsksForTheirSum) {
  Random random(1);
  const std::int64_t steps = 7, batch = 50;
  const AddingBatch drawn = adding_batch(steps, batch, random);
  for (std::int64_t b = 0; b < batch; ++b) {
    int marks[2] = {0, 0};
    float total = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
      const float number = drawn.inputs[(t * batch + b) * 2];
      const float mark = drawn.inputs[(t * batch + b) * 2 + 1];
      EXPECT_GE(number, 0);
      EXPECT_LT(number, 1);
      if (mark == 0) continue;
      ++marks[t >= steps / 2];
      total += number;
    }
    EXPECT_EQ(marks[0], 1);
    EXPECT_EQ(marks[1], 1);
    EXPECT_FLOAT_EQ(drawn.targets[b], total);
  }
}

TEST(Adding, HasTheVarianceOfItsBaseline) {
  Random random(2);
  const AddingBatch drawn = adding_batch(10, 20000, random);
  double error = 0;
  for (const float target : drawn.targets) error += (target - 1) * (target - 1) / 20000;
  EXPECT_NEAR(error, kAddingBaseline, 0.005);
}

TEST(Adding, RefusesEmptyBatches) {
  Random random(1);
  EXPECT_THROW(adding_batch(1, 3, random), UsageError);
  EXPECT_THROW(adding_batch(5, 0, random), UsageError);
}

}  // namespace
}  // namespace heed::test
