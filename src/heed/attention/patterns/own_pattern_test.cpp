// SPDX-License-Identifier: Apache-2.0
// A mask as a callable is the same set of keys as the written pattern that says it.
#include "heed/attention/patterns/own_pattern.h"

#include <gtest/gtest.h>

#include "heed/attention/mechanism.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

std::shared_ptr<const Pattern> backwards() {
  return own_pattern([](const MaskTile& tile) {
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      for (std::int64_t c = 0; c < tile.columns; ++c) {
        tile.row(r)[c] = tile.key + c <= tile.query + r;
      }
    }
  });
}

TEST(OwnPattern, AnswersForTilesAndRows) {
  const auto bound = backwards()->bind({.queries = 300, .keys = 300});
  EXPECT_EQ(bound->classify(0, 0, {0, 10}, {10, 64}), TileCover::empty);
  EXPECT_EQ(bound->classify(0, 0, {64, 70}, {0, 64}), TileCover::full);
  EXPECT_EQ(bound->classify(0, 0, {0, 300}, {0, 300}), TileCover::mixed);
  std::vector<KeyRun> runs;
  bound->runs(0, 0, 17, runs);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].begin, 0);
  EXPECT_EQ(runs[0].end, 18);
}

TEST(OwnPattern, LooksLikeTheWrittenPatternThatSaysTheSame) {
  Random random(1);
  const MechanismShape shape{.query_width = 8, .key_width = 8, .value_width = 8};
  const Mechanism plain("scaled_dot", shape, random);
  const Mechanism causal("scaled_dot | causal", shape, random);
  const auto memory_of = [](const Mechanism& look) {
    return look.memory(wavy({2, 1, 150, 8}), wavy({2, 1, 150, 8}, 1));
  };
  const Variable query(wavy({2, 1, 130, 8}, 2));
  for (const bool fuse : {true, false}) {
    AttendOptions options{.given = {.first_query = 7}, .fuse = fuse};
    const Tensor written = causal.attend(query, memory_of(causal), {}, options).context.value();
    options.pattern = backwards();
    expect_near(plain.attend(query, memory_of(plain), {}, options).context.value(), written, 1e-6);
  }
}

TEST(OwnPattern, MeetsTheWrittenPattern) {
  Random random(1);
  const Mechanism window("scaled_dot | window(3)",
                         {.query_width = 4, .key_width = 4, .value_width = 4}, random);
  const Mechanism meet("scaled_dot | window(3) & causal",
                       {.query_width = 4, .key_width = 4, .value_width = 4}, random);
  const Tensor keys = wavy({1, 1, 40, 4}), values = wavy({1, 1, 40, 4}, 1);
  const Variable query(wavy({1, 1, 40, 4}, 2));
  expect_near(window.attend(query, window.memory(keys, values), {}, {.pattern = backwards()})
                  .context.value(),
              meet.attend(query, meet.memory(keys, values)).context.value(), 1e-6);
}

}  // namespace
}  // namespace heed::attention
