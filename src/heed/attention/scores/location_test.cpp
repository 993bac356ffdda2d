// SPDX-License-Identifier: Apache-2.0
// The location score reads the query and the number of keys, never the keys.
#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(LocationScore, IsTheRowOfWForEachPosition) {
  auto part = made_score("location", {{"length", "3"}}, {.query_width = 2, .key_width = 1});
  set_parameter(*part, "W", Tensor::of({3, 2}, {1, 0, 0, 1, 1, 1}));
  const Tensor query = Tensor::of({1, 1, 1, 2}, {2, 5});
  const Tensor two = Tensor::of({1, 1, 2, 1}, {9, -9});
  expect_near(first_scores(*part, query, two), Tensor::of({1, 1, 1, 2}, {2, 5}), 1e-6);
  const Tensor three = Tensor::zeros({1, 1, 3, 1});
  expect_near(first_scores(*part, query, three), Tensor::of({1, 1, 1, 3}, {2, 5, 7}), 1e-6);
}

TEST(LocationScore, RefusesMoreKeysThanItHasRows) {
  const auto part = made_score("location", {{"length", "3"}}, {.query_width = 1, .key_width = 1});
  EXPECT_EQ(message_of([&] {
              first_scores(*part, Tensor::zeros({1, 1, 1, 1}), Tensor::zeros({1, 1, 4, 1}));
            }),
            "location: 4 keys; length is 3, set it to the most there will be");
}

}  // namespace
}  // namespace heed::attention
