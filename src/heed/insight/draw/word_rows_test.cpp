// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/word_rows.h"

#include <gtest/gtest.h>

namespace heed::insight {
namespace {

TEST(WordRows, SetsWordsBesideEachOtherUntilTheRowIsFull) {
  const std::vector<std::string> words = {"one", "two", "three", "four"};
  const std::vector<WordRow> whole = word_rows(words);
  ASSERT_EQ(whole.size(), 1u);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(whole[0].boxes[i].x, whole[0].boxes[i - 1].x + whole[0].boxes[i - 1].width + 8);
  }
  EXPECT_EQ(whole[0].width, whole[0].boxes[3].x + whole[0].boxes[3].width);
  const std::vector<WordRow> narrow = word_rows(words, {.widest = whole[0].width - 1});
  ASSERT_EQ(narrow.size(), 2u);
  EXPECT_EQ(narrow[1].words, std::vector<std::size_t>{3});
  EXPECT_EQ(narrow[1].boxes[0].x, 0);
}

TEST(WordRows, BeginsAtTheRightWhereWordsAreReadFromThere) {
  const std::vector<WordRow> rows = word_rows({"שלום", "עולם"});
  EXPECT_GT(rows[0].boxes[0].x, rows[0].boxes[1].x);
  EXPECT_EQ(rows[0].boxes[1].x, 0);
}

TEST(WordRows, TakesChosenWordsAndWidensShortOnes) {
  const std::vector<std::size_t> chosen = {2, 0};
  const std::vector<WordRow> rows = word_rows({"a", "b", "c"}, chosen, {.least = 50});
  EXPECT_EQ(rows[0].words, chosen);
  EXPECT_EQ(rows[0].boxes[0].width, 50);
  EXPECT_EQ(box_of(rows, 0), &rows[0].boxes[1]);
  EXPECT_EQ(box_of(rows, 1), nullptr);
}

TEST(WordRows, MovesARowToItsPlace) {
  std::vector<WordRow> rows = word_rows({"a", "b"});
  const double before = rows[0].boxes[1].x;
  move_to(rows[0], 30, 70);
  EXPECT_EQ(rows[0].boxes[1].x, before + 30);
  EXPECT_EQ(rows[0].boxes[1].y, 70);
  EXPECT_EQ(middle_of({10, 0, 4, 0}), 12);
}

}  // namespace
}  // namespace heed::insight
