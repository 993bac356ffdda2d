// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern window_2d.
#include "heed/attention/patterns/testing.h"

namespace heed::attention::test {
namespace {

TEST(Window2d, ShowsTheCellsAroundTheQueryAndTokensInFront) {
  for (const std::int64_t columns : {1, 5, 100}) {
    for (const std::int64_t radius : {0, 2, 50}) {
      for (const std::int64_t tokens : {0, 3}) {
        const auto pattern = make_pattern("window_2d", {{"columns", fmt::to_string(columns)},
                                                        {"radius", fmt::to_string(radius)},
                                                        {"tokens", fmt::to_string(tokens)}});
        expect_follows_everywhere(*pattern, [=](auto, auto, auto i, auto j) {
          if (i < tokens || j < tokens) return true;
          const std::int64_t a = i - tokens, b = j - tokens;
          return std::abs(a / columns - b / columns) <= radius &&
                 std::abs(a % columns - b % columns) <= radius;
        });
      }
    }
  }
}

TEST(Window2d, IsOneRunWhereRowsAreSeenWhole) {
  const auto bound = make_pattern("window_2d", {{"columns", "4"}, {"radius", "4"}})
                         ->bind({.queries = 8, .keys = 8});
  std::vector<KeyRun> runs;
  bound->runs(0, 0, 5, runs);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].end, 8);
}

}  // namespace
}  // namespace heed::attention::test
