// SPDX-License-Identifier: Apache-2.0
// Tests of lists of key runs, against sets of keys.
#include "heed/attention/patterns/run_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/attention/patterns/testing.h"
#include "heed/base/random.h"

namespace heed::attention {
namespace {

using Keys = std::set<std::int64_t>;

Keys keys_of(const RunList& runs) {
  Keys keys;
  for (const KeyRun& run : runs) {
    for (std::int64_t key = run.begin; key < run.end; key += run.step) keys.insert(key);
  }
  return keys;
}

RunList random_runs(Random& random) {
  RunList runs;
  for (auto left = random.integer(5); left > 0; --left) {
    const std::int64_t from = runs.empty() ? 0 : runs.back().end;
    const auto begin = from + static_cast<std::int64_t>(random.integer(6));
    append_run(runs, {begin, begin + static_cast<std::int64_t>(random.integer(25)),
                      1 + static_cast<std::int64_t>(random.integer(6))});
  }
  return runs;
}

TEST(AppendRun, KeepsOneForm) {
  RunList runs;
  append_run(runs, {3, 3, 1});
  EXPECT_TRUE(runs.empty());
  append_run(runs, {0, 6, 4});  // 0 4
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].end, 5);
  append_run(runs, {8, 9, 4});  // one key has no step
  append_run(runs, {9, 12, 1});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].begin, 8);
  EXPECT_EQ(runs[1].end, 12);
  append_run(runs, {13, 16, 2});
  append_run(runs, {17, 20, 2});
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(keys_of(runs), (Keys{0, 4, 8, 9, 10, 11, 13, 15, 17, 19}));
}

TEST(RunLists, MeetAndJoinAsSetsDo) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const RunList a = random_runs(random);
    const RunList b = random_runs(random);
    const Keys x = keys_of(a);
    const Keys y = keys_of(b);
    Keys common;
    Keys all = x;
    std::ranges::set_intersection(x, y, std::inserter(common, common.end()));
    all.insert(y.begin(), y.end());
    RunList result = {{1, 2, 1}};  // must go away
    intersect(a, b, result);
    ASSERT_EQ(keys_of(result), common);
    ASSERT_TRUE(test::is_in_promised_form(result, 1000));
    unite(a, b, result);
    ASSERT_EQ(keys_of(result), all);
    ASSERT_TRUE(test::is_in_promised_form(result, 1000));
  }
}

TEST(RunLists, MeetWithoutCountingKeys) {
  constexpr std::int64_t kEnd = std::int64_t{1} << 40;
  const RunList a = {{0, kEnd, 1'000'003}};
  const RunList b = {{5, kEnd, 999'983}};
  RunList result;
  intersect(a, b, result);
  ASSERT_EQ(result.size(), 1u) << "the steps have no common factor: one key of about 10^12";
  EXPECT_EQ(result[0].begin % 1'000'003, 0);
  EXPECT_EQ(result[0].begin % 999'983, 5);
  EXPECT_EQ(result[0].step, 1);
  unite(a, RunList{{0, kEnd, 1}}, result);
  ASSERT_EQ(result.size(), 1u);
  EXPECT_EQ(result[0].end, kEnd);
}

TEST(RunLists, CoverARangeAsTheirKeysDo) {
  Random random(2);
  for (int i = 0; i < 5000; ++i) {
    const RunList runs = random_runs(random);
    const Keys keys = keys_of(runs);
    const auto begin = static_cast<std::int64_t>(random.integer(60));
    const Range range = {begin, begin + 1 + static_cast<std::int64_t>(random.integer(12))};
    const auto held = std::ranges::count_if(
        keys, [&](std::int64_t key) { return key >= range.begin && key < range.end; });
    const TileCover truth = held == 0              ? TileCover::empty
                            : held == range.size() ? TileCover::full
                                                   : TileCover::mixed;
    ASSERT_EQ(cover(runs, range), truth);
  }
}

}  // namespace
}  // namespace heed::attention
