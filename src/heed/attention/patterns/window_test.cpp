// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern window.
#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

TEST(Window, ShowsTheKeysAroundTheQuery) {
  for (const auto& [left, right] :
       {std::pair<std::int64_t, std::int64_t>{0, 0}, {3, 0}, {0, 4}, {5, 2}, {100, 100}}) {
    const auto pattern =
        make_pattern("window", {{"left", fmt::to_string(left)}, {"right", fmt::to_string(right)}});
    expect_follows_everywhere(*pattern, [left = left, right = right](auto, auto, auto i, auto j) {
      return j >= i - left && j <= i + right;
    });
  }
}

TEST(Window, ReachesAsFarToTheRightAsToTheLeftByDefault) {
  expect_follows_everywhere(*make_pattern("window", {{"", "3"}}),
                            [](auto, auto, auto i, auto j) { return j - i <= 3 && i - j <= 3; });
}

TEST(Window, MayBeWiderThanAnySequence) {
  const auto pattern = make_pattern("window", {{"left", "1000000000000"}, {"right", "0"}});
  expect_follows_everywhere(*pattern, [](auto, auto, auto i, auto j) { return j <= i; });
}

TEST(Window, RefusesANegativeWidth) {
  EXPECT_EQ(heed::test::message_of<UsageError>([] {
              make_pattern("window", {{"left", "-1"}});
            }),
            "window: left is \"-1\": it takes a whole number from 0 to 1000000000000");
}

}  // namespace
}  // namespace heed::attention::test
