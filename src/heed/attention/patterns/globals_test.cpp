// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern globals.
#include <set>
#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

TEST(Globals, AreSeenByAllAndSeeAll) {
  for (const std::int64_t count : {0, 1, 3, 40, 100}) {
    expect_follows_everywhere(*make_pattern("globals", {{"", fmt::to_string(count)}}),
                              [=](auto, auto, auto i, auto j) { return i < count || j < count; });
  }
}

TEST(Globals, MayBeListedInAnyOrder) {
  const std::set<std::int64_t> listed = {0, 5, 6, 7, 31, 200};
  const auto pattern = make_pattern(
      "globals", {{.name = "positions", .list = {"31", "6", "5", "0", "7", "200", "5"}}});
  expect_follows_everywhere(*pattern, [&](auto, auto, auto i, auto j) {
    return listed.contains(i) || listed.contains(j);
  });
}

TEST(Globals, RefusesPositionsThatAreNone) {
  const auto message = [](const std::string& position) {
    return heed::test::message_of<UsageError>([&] {
      make_pattern("globals", {{"positions", position}})->bind({.queries = 1, .keys = 1});
    });
  };
  EXPECT_EQ(message("-1"),
            "globals: a position is -1: it takes a whole number from 0 to 1000000000000");
  EXPECT_EQ(message("first"), "globals: a position is \"first\": it takes a whole number");
}

TEST(Globals, AreEitherCountedOrListed) {
  EXPECT_EQ(heed::test::message_of<UsageError>([] {
              make_pattern("globals", {{"", "3"}, {"positions", "5"}})->bind({});
            }),
            "globals: count is 3 and positions are [5]: it takes one of the two");
}

}  // namespace
}  // namespace heed::attention::test
