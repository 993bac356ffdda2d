// SPDX-License-Identifier: Apache-2.0
// Tests of patterns combined with & and |.
#include "heed/attention/patterns/pattern_algebra.h"
#include "heed/attention/patterns/testing.h"

namespace heed::attention::test {
namespace {

std::unique_ptr<Pattern> window(const char* left) {
  return make_pattern("window", {{"left", left}});
}

TEST(Both, AllowsTheKeysThatAllAllow) {
  const auto pattern = both(make_pattern("causal"), window("3"));
  for (const std::int64_t first : {0, 5, 40}) {
    expect_follows(
        *pattern, {.queries = 30, .keys = 33, .first_query = first},
        [](auto, auto, auto i, auto j) { return j <= i && j >= i - 3; },
        Sharpness::allowed_to_say_mixed);
  }
}

TEST(Either, AllowsTheKeysThatAnyAllows) {
  const auto pattern = either(make_pattern("strided", {{"", "7"}}), make_pattern("globals"));
  for (const std::int64_t first : {0, 5, 40}) {
    expect_follows(
        *pattern, {.queries = 30, .keys = 33, .first_query = first},
        [](auto, auto, auto i, auto j) {
          return (j <= i && (i - j <= 7 || (i - j) % 7 == 0)) || i == 0 || j == 0;
        },
        Sharpness::allowed_to_say_mixed);
  }
}

TEST(Both, SkipsATileThatOnePartEmpties) {
  const auto bound = both(make_pattern("causal"), window("4"))->bind({.queries = 64, .keys = 64});
  EXPECT_EQ(bound->classify(0, 0, {32, 48}, {0, 16}), TileCover::empty) << "left of the window";
  EXPECT_EQ(bound->classify(0, 0, {0, 16}, {32, 48}), TileCover::empty) << "in the future";
  EXPECT_EQ(bound->classify(0, 0, {40, 44}, {40, 41}), TileCover::full);
  EXPECT_EQ(bound->classify(0, 0, {32, 48}, {32, 48}), TileCover::mixed);
}

TEST(Either, TakesATileThatOnePartFills) {
  const auto bound =
      either(make_pattern("globals"), window("4"))->bind({.queries = 64, .keys = 64});
  EXPECT_EQ(bound->classify(0, 0, {40, 60}, {0, 1}), TileCover::full);
  EXPECT_EQ(bound->classify(0, 0, {40, 44}, {40, 44}), TileCover::full);
  EXPECT_EQ(bound->classify(0, 0, {40, 44}, {20, 30}), TileCover::empty);
}

TEST(Combinations, AreWrittenAsTheyAreRead) {
  const auto causal = [] { return make_pattern("causal"); };
  EXPECT_EQ(both(causal(), window("4"))->written(), "causal & window(left=4)");
  EXPECT_EQ(either(causal(), window("4"))->written(), "(causal | window(left=4))");
  EXPECT_EQ(both(causal(), both(window("4"), causal()))->written(),
            "causal & window(left=4) & causal");
  EXPECT_EQ(either(both(causal(), window("4")), either(causal(), make_pattern("full")))->written(),
            "(causal & window(left=4) | causal | full)");
  EXPECT_EQ(both(either(causal(), window("4")), causal())->clone()->written(),
            "(causal | window(left=4)) & causal");
}

}  // namespace
}  // namespace heed::attention::test
