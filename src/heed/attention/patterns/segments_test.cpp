// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern segments.
#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

TEST(Segments, ShowTheKeysOfTheQuerysSegment) {
  Random random(5);
  for (const bool sorted : {true, false}) {
    std::vector<std::int32_t> queries(2 * 15);
    std::vector<std::int32_t> keys(2 * 33);
    for (auto* ids : {&queries, &keys}) {
      for (auto& id : *ids) id = static_cast<std::int32_t>(random.integer(4));
      if (sorted) {
        std::sort(ids->begin(), ids->begin() + ids->size() / 2);
        std::sort(ids->begin() + ids->size() / 2, ids->end());
      }
    }
    const PatternCall call = {.batch = 2,
                              .queries = 15,
                              .keys = 33,
                              .first_query = 4,
                              .query_segments = queries,
                              .key_segments = keys};
    const auto same = [&](auto b, auto, auto i, auto j) {
      return queries[b * 15 + i - 4] == keys[b * 33 + j];
    };
    // An id missing between others is not noticed from the smallest and the largest.
    expect_follows(*make_pattern("segments"), call, same, Sharpness::allowed_to_say_mixed);
  }
}

TEST(Segments, ClassifyPackedSequencesExactly) {
  const std::vector<std::int32_t> ids = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2};
  const PatternCall call = {.queries = 12, .keys = 12, .query_segments = ids, .key_segments = ids};
  expect_follows(*make_pattern("segments"), call,
                 [&](auto, auto, auto i, auto j) { return ids[i] == ids[j]; });
}

TEST(Segments, RefuseIdsThatAreMissing) {
  EXPECT_EQ(heed::test::message_of<UsageError>(
                [] { make_pattern("segments")->bind({.batch = 2, .queries = 3, .keys = 4}); }),
            "segments: query_segments has 0 values; [batch, queries] is [2, 3]");
}

}  // namespace
}  // namespace heed::attention::test
