// SPDX-License-Identifier: Apache-2.0
// Tests of what every pattern checks of its call.
#include "heed/attention/pattern.h"

#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

std::string pattern_message(const PatternCall& call) {
  return heed::test::message_of<UsageError>([&] { make_pattern("causal")->bind(call); });
}

TEST(PatternCall, IsRefusedWithSizesThatCannotBeMeant) {
  EXPECT_EQ(pattern_message({.queries = -1}),
            "causal: queries is -1: it takes a whole number from 0 to 2^40");
  EXPECT_EQ(pattern_message({.keys = std::int64_t{1} << 50}),
            "causal: keys is 1125899906842624: it takes a whole number from 0 to 2^40");
  EXPECT_EQ(pattern_message({.first_query = -3}),
            "causal: first_query is -3: it takes a whole number from 0 to 2^40");
}

TEST(PatternCall, IsRefusedWhenTotalsAreLessThanItHas) {
  EXPECT_EQ(pattern_message({.queries = 2, .first_query = 4, .total_queries = 5}),
            "causal: total_queries is 5, but the call's last query is at position 5");
  EXPECT_EQ(pattern_message({.keys = 7, .total_keys = 6}),
            "causal: total_keys is 6, but the call has 7 keys");
}

TEST(PatternCall, HasNoMoreThanItsOwnQueriesAndKeysByDefault) {
  const PatternCall call = {.queries = 2, .keys = 9, .first_query = 4};
  EXPECT_EQ(call.all_queries(), 6);
  EXPECT_EQ(call.all_keys(), 9);
}

TEST(PatternData, IsRefusedWhateverItsSizesMultiplyTo) {
  constexpr std::int64_t kMany = std::int64_t{1} << 32;  // kMany * kMany is 0 in 64 bits
  EXPECT_EQ(heed::test::message_of<UsageError>([] {
              check_data("tensor", "mask", 0, "queries, keys", {kMany, kMany});
            }),
            "tensor: mask has 0 values; [queries, keys] is [4294967296, 4294967296]");
}

TEST(NamedPattern, PrintsTheOptionsThatDiffer) {
  EXPECT_EQ(make_pattern("causal")->written(), "causal");
  EXPECT_EQ(make_pattern("causal", {{"align", "end"}})->written(), "causal(align=end)");
  EXPECT_EQ(make_pattern("window", {{"", "3"}})->clone()->written(), "window(left=3)");
}

}  // namespace
}  // namespace heed::attention::test
