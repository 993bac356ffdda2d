// SPDX-License-Identifier: Apache-2.0
// The learned table is read at absolute positions and refuses those it lacks.
#include "heed/attention/biases/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(LearnedBias, ReadsItsTableAtAbsolutePositions) {
  auto part = made_bias("learned", {{"queries", "3"}, {"keys", "4"}});
  set_parameter(*part, "table", heed::testing::counting({3, 4}));
  expect_near(BiasRun{.queries = 2, .keys = 3, .first_query = 1}.of(*part),
              Tensor::of({1, 1, 2, 3}, {4, 5, 6, 8, 9, 10}), 0);
}

TEST(LearnedBias, RefusesPositionsBeyondItsTable) {
  const auto part = made_bias("learned", {{"queries", "3"}, {"keys", "4"}});
  EXPECT_EQ(message_of([&] { BiasRun{.queries = 2, .keys = 4, .first_query = 2}.of(*part); }),
            "learned: 4 query positions and 4 keys; the table has 3 and 4");
}

}  // namespace
}  // namespace heed::attention
