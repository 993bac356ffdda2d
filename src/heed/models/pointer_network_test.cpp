// SPDX-License-Identifier: Apache-2.0
#include "heed/models/pointer_network.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/point_model_testing.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

TEST(PointerNetwork, RefusesMechanismsItCannotPointWith) {
  Random random(1);
  const auto refused = [&](const char* mechanism) {
    return test::message_of<UsageError>(
        [&] { make_point_model({.attention = mechanism}, random); });
  };
  EXPECT_NE(refused("additive").find("does not read the mask"), std::string::npos);
  EXPECT_NE(refused("linear").find("write a mechanism such as"), std::string::npos)
      << refused("linear");
}

// What was pointed at is the next input: another first choice changes the second.
TEST(PointerNetwork, ReadsThePointThatItPointedAt) {
  const NoGradient values_only;
  Random random(6);
  const PointerNetwork model({.width = 8, .least = 1}, random);
  const Encoded encoded = model.read(Variable(testing::random_points(1, 4, 2, random)), {});
  const auto score_of_the_third = [&](std::int32_t first) {
    return model.decode(encoded, Ids::of({1, 2}, {first, 4}), {}).value().at({1, 3});
  };
  EXPECT_GT(std::abs(score_of_the_third(1) - score_of_the_third(2)), 1e-5);
}

}  // namespace
}  // namespace heed::models
