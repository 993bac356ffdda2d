// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern block.
#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

TEST(Block, ShowsTheBlockOfTheQuery) {
  for (const std::int64_t size : {1, 2, 7, 16, 1000}) {
    expect_follows_everywhere(*make_pattern("block", {{"", fmt::to_string(size)}}),
                              [size](auto, auto, auto i, auto j) { return j / size == i / size; });
  }
}

TEST(Block, RefusesBlocksWithoutPositions) {
  EXPECT_EQ(heed::test::message_of<UsageError>([] {
              make_pattern("block", {{"size", "0"}});
            }),
            "block: size is \"0\": it takes a whole number from 1 to 1000000000000");
}

}  // namespace
}  // namespace heed::attention::test
