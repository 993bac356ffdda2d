// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern big_bird.
#include <cmath>
#include <set>

#include "heed/attention/patterns/testing.h"

namespace heed::attention::test {
namespace {

// All but the drawn blocks, from the definition.
bool is_certain(std::int64_t i, std::int64_t j, std::int64_t size, std::int64_t window,
                std::int64_t globals) {
  const std::int64_t distance = std::abs(i / size - j / size);
  return distance <= window / 2 || i / size < globals || j / size < globals;
}

TEST(BigBird, ShowsWindowAndGlobalsWithoutRandomBlocks) {
  for (const std::int64_t size : {1, 4, 7}) {
    for (const std::int64_t window : {0, 3, 4}) {
      for (const std::int64_t globals : {0, 1, 20}) {
        const auto pattern = make_pattern("big_bird", {{"size", fmt::to_string(size)},
                                                       {"window", fmt::to_string(window)},
                                                       {"globals", fmt::to_string(globals)},
                                                       {"random", "0"}});
        expect_follows_everywhere(*pattern, [=](auto, auto, auto i, auto j) {
          return is_certain(i, j, size, window, globals);
        });
      }
    }
  }
}

TEST(BigBird, AddsAsManyRandomBlocksAsAsked) {
  const auto pattern =
      make_pattern("big_bird", {{"size", "2"}, {"window", "3"}, {"globals", "2"}, {"random", "3"}});
  const PatternCall call = {.heads = 2, .queries = 40, .keys = 39};  // 20 blocks
  std::vector<Mask> masks;
  for (std::int64_t head = 0; head < call.heads; ++head) {
    masks.push_back(mask_of(*pattern, call, 0, head));
    for (std::int64_t i = 4; i < call.queries; ++i) {
      std::set<std::int64_t> drawn;
      for (std::int64_t j = 0; j < call.keys; ++j) {
        const bool sees = masks.back()[i][j] != 0;
        if (is_certain(i, j, 2, 3, 2)) {
          EXPECT_TRUE(sees) << "query " << i << ", key " << j;
        } else if (sees) {
          drawn.insert(j / 2);
        }
      }
      EXPECT_EQ(drawn.size(), 3u) << "query " << i;
    }
  }
  EXPECT_NE(masks[0], masks[1]) << "heads draw for themselves";
  expect_follows(*pattern, call, [&](auto, auto h, auto i, auto j) { return masks[h][i][j] != 0; });
}

TEST(BigBird, ShowsEverythingWhenAllOtherBlocksAreDrawn) {
  expect_follows_everywhere(*make_pattern("big_bird", {{"size", "4"}, {"random", "1000"}}),
                            [](auto...) { return true; });
}

TEST(BigBird, DrawsNoFutureBlockFromThePast) {
  const auto pattern = make_pattern(
      "big_bird",
      {{"size", "2"}, {"window", "1"}, {"globals", "1"}, {"random", "2"}, {"from", "past"}});
  const Mask mask = mask_of(*pattern, {.queries = 40, .keys = 40});
  for (std::int64_t i = 2; i < 40; ++i) {
    for (std::int64_t j = i / 2 * 2 + 2; j < 40; ++j) EXPECT_EQ(mask[i][j], 0) << i << " " << j;
  }
}

}  // namespace
}  // namespace heed::attention::test
