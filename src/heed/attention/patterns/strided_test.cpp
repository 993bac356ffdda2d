// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern strided.
#include "heed/attention/patterns/testing.h"

namespace heed::attention::test {
namespace {

// Section 4.2 of Child et al. 2019: A(1) = {max(0, i - l), ..., i}, A(2) = {j : (i - j) mod l = 0},
// both within j <= i.
TEST(Strided, IsTheUnionOfThePapersTwoHeads) {
  for (const std::int64_t l : {1, 2, 5, 16, 100}) {
    expect_follows_everywhere(*make_pattern("strided", {{"", fmt::to_string(l)}}),
                              [l](auto, auto, auto i, auto j) {
                                const bool first = j >= std::max<std::int64_t>(0, i - l) && j <= i;
                                const bool second = j <= i && (i - j) % l == 0;
                                return first || second;
                              });
  }
}

TEST(Strided, NeedsTwoRunsPerQuery) {
  const auto bound = make_pattern("strided", {{"", "8"}})->bind({.queries = 1000, .keys = 1000});
  std::vector<KeyRun> runs;
  bound->runs(0, 0, 900, runs);
  EXPECT_EQ(runs.size(), 2u);
}

}  // namespace
}  // namespace heed::attention::test
