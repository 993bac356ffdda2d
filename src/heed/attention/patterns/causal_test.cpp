// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern causal.
#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

TEST(Causal, ShowsTheKeysUpToTheQuery) {
  expect_follows_everywhere(*make_pattern("causal"),
                            [](auto, auto, auto i, auto j) { return j <= i; });
}

TEST(Causal, AlignsTheLastQueryWithTheLastKeyWhenAsked) {
  const auto pattern = make_pattern("causal", {{"align", "end"}});
  const auto shifted = [](std::int64_t shift) {
    return [shift](auto, auto, auto i, auto j) { return j <= i + shift; };
  };
  expect_follows(*pattern, {.queries = 3, .keys = 10}, shifted(7));
  expect_follows(*pattern, {.queries = 10, .keys = 3}, shifted(-7));
  expect_follows(*pattern, {.queries = 5, .keys = 0}, shifted(-5));
}

TEST(Causal, KeepsTheAlignmentOfTheWholeSequenceInAStep) {
  const auto pattern = make_pattern("causal", {{"align", "end"}});
  const Mask whole = mask_of(*pattern, {.queries = 4, .keys = 9});
  const Mask step =
      mask_of(*pattern, {.queries = 1, .keys = 9, .first_query = 2, .total_queries = 4});
  EXPECT_EQ(step[0], whole[2]);
  // A cache that grows beside the queries needs no totals.
  const Mask grown = mask_of(*pattern, {.queries = 1, .keys = 8, .first_query = 2});
  EXPECT_EQ(grown[0], std::vector<char>(8, 1));
}

TEST(Causal, RefusesAnAlignmentThatIsNone) {
  EXPECT_EQ(heed::test::message_of<UsageError>([] {
              make_pattern("causal", {{"align", "middle"}});
            }),
            "causal: align is \"middle\": it takes one of start, end");
}

}  // namespace
}  // namespace heed::attention::test
