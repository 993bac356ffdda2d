// SPDX-License-Identifier: Apache-2.0
// Shapes that cannot be meant are named.
#include "heed/attention/compose/checks.h"

#include <gtest/gtest.h>

#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;
using heed::testing::wavy;

TEST(AttentionChecks, NameHeadsAndWidthsThatDoNotFit) {
  EXPECT_EQ(message_of([] {
              check_shape(
                  {.query_width = 4, .key_width = 4, .value_width = 4, .heads = 3, .key_heads = 2});
            }),
            "mechanism: 3 heads over 2 key heads; the first must be a multiple of the second");
  EXPECT_EQ(message_of([] { check_shape({.query_width = 4, .key_width = 0, .value_width = 4}); }),
            "mechanism: widths of query 4, keys 0 and values 4; each takes 1 or more");
}

TEST(AttentionChecks, NameKeysAndValuesThatDoNotGoTogether) {
  const MechanismShape shape{.query_width = 4, .key_width = 4, .value_width = 3};
  check_keys(shape, wavy({2, 1, 5, 4}), wavy({2, 1, 5, 3}));
  EXPECT_EQ(message_of([&] {
              check_keys(shape, wavy({2, 1, 5, 4}), wavy({2, 1, 4, 3}));
            }),
            "memory: keys [2,1,5,4] and values [2,1,4,3]; it takes [B,1,K,4] and [B,1,K,D] with "
            "equal B and K");
}

}  // namespace
}  // namespace heed::attention
