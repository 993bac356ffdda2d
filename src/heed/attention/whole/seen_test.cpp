// SPDX-License-Identifier: Apache-2.0
// What queries see, as numbers, masks and patterns.
#include "heed/attention/whole/seen.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

TEST(Seen, CountsAndHidesKeysOfEachSequence) {
  const Variable query = wavy({2, 1, 2, 3}), values = wavy({2, 1, 4, 2}), none;
  Tensor bad = wavy({2, 1, 4, 3}).clone();
  bad.mutable_data()[3 * 4 + 3 * 3] = std::numeric_limits<Real>::quiet_NaN();  // [1,0,3,0]
  const Variable keys(bad);
  const WholeCall call{query, {keys, values, none}, {4, 1, -1, 2}};
  EXPECT_EQ(most_seen(call), (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(first_ones({4, 4}, 4).defined(), false);
  const Tensor found = seen_keys(call).keys.value();
  expect_near(found.slice(0, 0, 1), bad.slice(0, 0, 1), 0);
  for (const Real x : found.slice(0, 1, 2).slice(2, 2, 4).values()) EXPECT_EQ(x, 0);
  expect_near(seen_matrix(call).reshape({4, 4}),
              Tensor::of({4, 4}, {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0}), 0);
}

TEST(Seen, PatternsOfRowsAnswerForTiles) {
  const auto pattern = pattern_of_first({5, 3, 0, 5}, 2);
  EXPECT_EQ(pattern->classify(0, 0, {0, 2}, {0, 3}), TileCover::full);
  EXPECT_EQ(pattern->classify(0, 0, {0, 2}, {0, 4}), TileCover::mixed);
  EXPECT_EQ(pattern->classify(0, 0, {1, 2}, {3, 5}), TileCover::empty);
  EXPECT_EQ(pattern->classify(1, 0, {0, 1}, {0, 5}), TileCover::empty);
  EXPECT_EQ(pattern->classify(1, 0, {0, 2}, {0, 5}), TileCover::mixed);
}

TEST(Seen, GivesEachHeadOfQueriesItsKeys) {
  const Variable x = wavy({2, 2, 3, 4});
  const Tensor all = for_each_head(x, 6).value();
  for (std::int64_t h = 0; h < 6; ++h) {
    expect_near(all.slice(1, h, h + 1), x.value().slice(1, h / 3, h / 3 + 1), 0);
  }
}

}  // namespace
}  // namespace heed::attention
