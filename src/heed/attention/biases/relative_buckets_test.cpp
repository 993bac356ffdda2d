// SPDX-License-Identifier: Apache-2.0
// The buckets of relative distances: exact near the query, logarithmic further away.
#include "heed/attention/biases/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

// The bucket of each key for a query at `position`: the table holds its own indices.
std::vector<Real> buckets(const std::vector<Argument>& arguments, std::int64_t count,
                          std::int64_t position, std::int64_t keys) {
  auto part = made_bias("relative_buckets", arguments);
  set_parameter(*part, "table", heed::testing::counting({count}));
  return BiasRun{.keys = keys, .first_query = position}.of(*part).values();
}

TEST(RelativeBuckets, GivesNearKeysOneEachAndFarKeysLogarithmicSteps) {
  // 8 buckets, 4 per side: distances 0 and 1 alone; 2 to 3, then from 4 = sqrt(2 * 8) on.
  const std::vector<Real> found = buckets({{"buckets", "8"}, {"distance", "8"}}, 8, 5, 11);
  EXPECT_EQ(found, (std::vector<Real>{3, 3, 2, 2, 1, 0, 5, 6, 6, 7, 7}));
}

TEST(RelativeBuckets, PutsAllKeysBehindTheQueryInOneBucketWhenOneWay) {
  const std::vector<Real> found =
      buckets({{"buckets", "4"}, {"distance", "8"}, {"bidirectional", "false"}}, 4, 5, 8);
  EXPECT_EQ(found, (std::vector<Real>{3, 3, 2, 2, 1, 0, 0, 0}));
}

TEST(RelativeBuckets, AddsWhatTheTableSaysPerHead) {
  auto part = made_bias("relative_buckets", {{"buckets", "4"}, {"distance", "4"}},
                        {.query_width = 3, .key_width = 3, .heads = 2});
  set_parameter(*part, "table", Tensor::of({2, 4}, {1, 2, 3, 4, 10, 20, 30, 40}));
  expect_near(BiasRun{.heads = 2, .queries = 2, .keys = 2}.of(*part),
              Tensor::of({1, 2, 2, 2}, {1, 4, 2, 1, 10, 40, 20, 10}), 0);
}

TEST(RelativeBuckets, RefusesWhatLeavesNoRoom) {
  EXPECT_EQ(message_of([] {
              made_bias("relative_buckets", {{"distance", "8"}});
            }),
            "relative_buckets: distance 8 with 32 buckets; it takes more than 8");
  EXPECT_EQ(message_of([] {
              made_bias("relative_buckets", {{"buckets", "7"}});
            }),
            "relative_buckets: 7 buckets; two directions take an even number");
}

}  // namespace
}  // namespace heed::attention
