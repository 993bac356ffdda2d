// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern padding.
#include <array>
#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

TEST(Padding, HidesTheKeysBeyondEachLength) {
  const std::array<std::int32_t, 4> lengths = {5, 0, 9, 30};  // the last is longer than the keys
  const PatternCall call = {
      .batch = 4, .heads = 2, .queries = 6, .keys = 9, .first_query = 3, .lengths = lengths};
  expect_follows(*make_pattern("padding"), call,
                 [&](auto b, auto, auto, auto j) { return j < lengths[b]; });
}

TEST(Padding, OfBothHidesTheQueriesBeyondEachLengthToo) {
  const std::array<std::int32_t, 4> lengths = {5, 0, 9, 30};
  const PatternCall call = {
      .batch = 4, .heads = 2, .queries = 6, .keys = 9, .first_query = 3, .lengths = lengths};
  expect_follows(*make_pattern("padding", {{"of", "both"}}), call,
                 [&](auto b, auto, auto i, auto j) { return i < lengths[b] && j < lengths[b]; });
}

TEST(Padding, ShowsEverythingWithoutLengths) {
  expect_follows_everywhere(*make_pattern("padding"), [](auto...) { return true; });
  expect_follows_everywhere(*make_pattern("padding", {{"of", "both"}}),
                            [](auto...) { return true; });
}

TEST(Padding, RefusesLengthsThatDoNotFit) {
  const auto message = [](std::vector<std::int32_t> lengths) {
    return heed::test::message_of<UsageError>([&] {
      make_pattern("padding")->bind({.batch = 2, .queries = 1, .keys = 4, .lengths = lengths});
    });
  };
  EXPECT_EQ(message({1, 2, 3}), "padding: lengths has 3 values; [batch] is [2]");
  EXPECT_EQ(message({1, -2}), "padding: a length is -2: it takes 0 or more");
}

}  // namespace
}  // namespace heed::attention::test
