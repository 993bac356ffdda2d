// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/probability.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(Probability, IsTakenWhenItIsANumber) {
  EXPECT_EQ(require_probability(.5, "class", 1), .5);
  const double never = -std::numeric_limits<double>::infinity();  // the logarithm of 0
  EXPECT_EQ(require_probability(never, "token", 1), never);
}

TEST(Probability, IsRefusedWhenItIsNone) {
  const std::string message = test::message_of<DataError>(
      [] { require_probability(std::numeric_limits<double>::quiet_NaN(), "token", 7); });
  EXPECT_NE(message.find("no probability of token 7"), std::string::npos) << message;
}

}  // namespace
}  // namespace heed::pipeline
