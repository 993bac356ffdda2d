// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/choose.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace heed::corpora {
namespace {

TEST(Choose, FollowsTheWeights) {
  Random random(1);
  std::map<char, int> count;
  for (int i = 0; i < 10'000; ++i) ++count[pick_weighted<char>(random, {{'a', 3}, {'b', 1}})];
  EXPECT_NEAR(count['a'], 7'500, 150);
  EXPECT_EQ(count['a'] + count['b'], 10'000);
}

TEST(Choose, ReachesBothEndsAndEveryItem) {
  Random random(2);
  std::map<std::int64_t, int> between, items;
  constexpr std::array kItems = {5, 6, 7};
  for (int i = 0; i < 3'000; ++i) {
    ++between[pick_between(random, -1, 1)];
    ++items[pick(random, kItems)];
  }
  for (const std::int64_t value : {-1, 0, 1}) EXPECT_NEAR(between[value], 1'000, 150);
  for (const std::int64_t value : {5, 6, 7}) EXPECT_NEAR(items[value], 1'000, 150);
  EXPECT_EQ(between.size(), 3u);
}

}  // namespace
}  // namespace heed::corpora
