// SPDX-License-Identifier: Apache-2.0
#include "heed/text/batch.h"

#include <gtest/gtest.h>

namespace heed::text {
namespace {

TEST(PadRows, PutsPaddingBehindShorterRows) {
  const TokenRows rows = pad_rows(std::vector<Tokens>{{5, 6, kEnd}, {7, kEnd}, {}});
  EXPECT_EQ(rows.rows, 3);
  EXPECT_EQ(rows.width, 3);
  EXPECT_EQ(rows.ids, (std::vector<Token>{5, 6, 3, 7, 3, 0, 0, 0, 0}));
  EXPECT_EQ(rows.lengths, (std::vector<std::int32_t>{3, 2, 0}));
  EXPECT_EQ(rows.tokens(), 5);
}

TEST(PadRows, OfNothingIsEmpty) {
  const TokenRows rows = pad_rows({});
  EXPECT_EQ(rows.rows, 0);
  EXPECT_EQ(rows.width, 0);
  EXPECT_EQ(rows.tokens(), 0);
}

}  // namespace
}  // namespace heed::text
