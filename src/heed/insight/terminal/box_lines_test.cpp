// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/terminal/box_lines.h"

#include <gtest/gtest.h>

namespace heed::insight {
namespace {

TEST(BoxLines, TurnsCorners) {
  BoxLines lines(2, 5);
  lines.across(0, 3, 0);
  lines.down(0, 0, 1);
  lines.down(3, 1, 0);
  lines.mark(1, 0, "▼");
  EXPECT_EQ(lines.text(0), "╭──╮ ");
  EXPECT_EQ(lines.text(1), "▼  │ ");
}

TEST(BoxLines, JoinsLinesWhereTheyMeet) {
  BoxLines lines(3, 3);
  lines.across(0, 0, 2);
  lines.across(1, 0, 2);
  lines.across(2, 0, 2);
  for (const std::size_t column : {0, 1, 2}) lines.down(column, 0, 2);
  EXPECT_EQ(lines.text(0), "╭┬╮");
  EXPECT_EQ(lines.text(1), "├┼┤");
  EXPECT_EQ(lines.text(2), "╰┴╯");
}

}  // namespace
}  // namespace heed::insight
