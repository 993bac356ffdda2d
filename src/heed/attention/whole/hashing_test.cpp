// SPDX-License-Identifier: Apache-2.0
// Buckets, chunks and the places of queries in them, by directions that can be followed by eye.
#include "heed/attention/whole/hashing.h"

#include <gtest/gtest.h>

#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

// One direction: keys above zero are in bucket 0, those below in bucket 1.
const Tensor kSign = Tensor::of({1, 1, 1}, {1});

TEST(Hashing, SortsKeysByBucketAndPlace) {
  const Variable x = Tensor::of({1, 1, 6, 1}, {1, -1, 2, 3, -2, 4}), none;
  const WholeCall call{x, {x, x, none}, {6, 6, 6, 6, 6, 6}, {0}};
  const HashedKeys hashed({.rounds = 1, .buckets = 2, .chunk = 2}, kSign, call);
  const HashRound& round = hashed.round(0, 0, 0);
  EXPECT_EQ(round.keys, (std::vector<std::int32_t>{0, 2, 3, 5, 1, 4}));
  EXPECT_EQ(round.queries, (std::vector<std::int32_t>{0, 2, 3, 5, 1, 4}));
  // Query 3 is in the second chunk of its bucket, and sees the first one too.
  EXPECT_EQ(round.begin[3], 0);
  EXPECT_EQ(round.end[3], 4);
  EXPECT_EQ(round.own[3], 2);
  EXPECT_EQ(round.end[0], 2);
  EXPECT_EQ(hashed.count(0, 0, 3, 0), 1);
  EXPECT_EQ(hashed.count(0, 0, 0, 3), 0);  // a later chunk
  EXPECT_EQ(hashed.count(0, 0, 3, 1), 0);  // another bucket
  EXPECT_TRUE(hashed.hides_own(0, 0, 3));
}

TEST(Hashing, DependsOnNoKeyAfterAQueryThatSeesTheFirstOnes) {
  const Variable x = Tensor::of({1, 1, 5, 1}, {1, 2, -1, 3, 4}), none;
  const HashOptions options{.rounds = 1, .buckets = 2, .chunk = 2};
  const HashedKeys all(options, kSign, {x, {x, x, none}, {1, 2, 3, 4, 5}, {0}});
  const Variable fewer = Tensor::of({1, 1, 4, 1}, {1, 2, -1, 3});
  const HashedKeys some(options, kSign, {fewer, {fewer, fewer, none}, {1, 2, 3, 4}, {0}});
  for (std::int64_t q = 0; q < 4; ++q) {
    for (std::int64_t j = 0; j <= q; ++j) {
      EXPECT_EQ(all.count(0, 0, q, j), some.count(0, 0, q, j)) << q << ", " << j;
    }
    EXPECT_EQ(all.hides_own(0, 0, q), some.hides_own(0, 0, q));
  }
  EXPECT_FALSE(all.hides_own(0, 0, 2)) << "alone in its bucket";
  EXPECT_FALSE(all.hides_own(0, 0, 0)) << "alone so far";
}

TEST(Hashing, LeavesKeysOutThatNobodySees) {
  const Variable x = Tensor::of({1, 1, 4, 1}, {1, 2, 3, 4}), none;
  const HashedKeys hashed({.rounds = 1, .buckets = 2, .chunk = 8}, kSign,
                          {x, {x, x, none}, {2, 2, -1, -1}, {0}});
  const HashRound& round = hashed.round(0, 0, 0);
  EXPECT_EQ(round.keys, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(round.end[2], 0);
  EXPECT_EQ(round.key_chunk[3], -1);
}

}  // namespace
}  // namespace heed::attention
