// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern prefix.
#include "heed/attention/patterns/testing.h"

namespace heed::attention::test {
namespace {

TEST(Prefix, IsBidirectionalWithinThePrefixAndCausalBehind) {
  for (const std::int64_t n : {0, 1, 5, 33, 500}) {
    expect_follows_everywhere(*make_pattern("prefix", {{"n", fmt::to_string(n)}}),
                              [n](auto, auto, auto i, auto j) { return j < n || j <= i; });
  }
}

TEST(Prefix, IsCausalWithoutAPrefix) {
  const PatternCall call = {.queries = 9, .keys = 9};
  EXPECT_EQ(mask_of(*make_pattern("prefix", {{"n", "0"}}), call),
            mask_of(*make_pattern("causal"), call));
}

}  // namespace
}  // namespace heed::attention::test
