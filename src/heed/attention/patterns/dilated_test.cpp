// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern dilated.
#include "heed/attention/patterns/testing.h"

namespace heed::attention::test {
namespace {

TEST(Dilated, ShowsEveryStepthKeyOnEitherSide) {
  for (const std::int64_t window : {0, 1, 3, 100}) {
    for (const std::int64_t step : {1, 2, 5, 40}) {
      const auto pattern = make_pattern(
          "dilated", {{"window", fmt::to_string(window)}, {"step", fmt::to_string(step)}});
      expect_follows_everywhere(*pattern, [=](auto, auto, auto i, auto j) {
        for (std::int64_t m = -window; m <= window; ++m) {
          if (j == i + m * step) return true;
        }
        return false;
      });
    }
  }
}

TEST(Dilated, IsAWindowWhenItsStepIsOne) {
  const PatternCall call = {.queries = 20, .keys = 20};
  EXPECT_EQ(mask_of(*make_pattern("dilated", {{"window", "4"}, {"step", "1"}}), call),
            mask_of(*make_pattern("window", {{"left", "4"}}), call));
}

TEST(Dilated, NeedsOneRunPerQuery) {
  const auto bound = make_pattern("dilated", {{"window", "50"}, {"step", "3"}})
                         ->bind({.queries = 100, .keys = 100});
  std::vector<KeyRun> runs;
  bound->runs(0, 0, 40, runs);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].begin, 1);
  EXPECT_EQ(runs[0].end, 98);
  EXPECT_EQ(runs[0].step, 3);
}

}  // namespace
}  // namespace heed::attention::test
