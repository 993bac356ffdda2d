// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/average_precision.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

TEST(AveragePrecision, IsTheAreaUnderPrecisionOverRecall) {
  // Relevant ones are first and third: precisions 1 and 2/3 at half the recall each.
  const std::vector<double> scores = {.1, .9, .4, .6};
  EXPECT_NEAR(*average_precision(scores, {false, true, true, false}), .5 * 1 + .5 * 2 / 3, 1e-12);
  EXPECT_NEAR(*average_precision(scores, {false, true, false, true}), 1, 1e-12);
  EXPECT_NEAR(*average_precision(scores, {true, false, false, false}), .25, 1e-12);
}

TEST(AveragePrecision, TakesEqualScoresTogether) {
  const std::vector<double> equal = {2, 2, 2, 2, 2};
  EXPECT_NEAR(*average_precision(equal, {true, false, false, true, false}), .4, 1e-12);
  EXPECT_NEAR(*average_precision(equal, {false, false, true, true, false}), .4, 1e-12);
  const std::vector<double> halves = {1, 1, 0, 0};
  EXPECT_NEAR(*average_precision(halves, {true, false, true, false}), .5 * .5 + .5 * .5, 1e-12);
}

TEST(AveragePrecision, IsUndefinedWhereNothingIsRelevant) {
  EXPECT_FALSE(average_precision(std::vector<double>{1, 2}, {false, false}).has_value());
  EXPECT_FALSE(average_precision({}, {}).has_value());
  EXPECT_THROW(average_precision(std::vector<double>{1}, {true, false}), UsageError);
  EXPECT_THROW(
      average_precision(std::vector<double>{std::numeric_limits<double>::quiet_NaN()}, {true}),
      UsageError);
}

}  // namespace
}  // namespace heed::metrics
