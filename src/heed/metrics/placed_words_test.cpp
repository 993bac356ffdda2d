// SPDX-License-Identifier: Apache-2.0
// Words in their places, and files of them.
#include "heed/metrics/placed_words.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::metrics {
namespace {

TEST(PlacedWords, AreRightOnlyInTheirPlace) {
  const std::vector<std::string> lines = {"la table est là", "", "Elle est grande", "il dort"};
  const std::vector<PlacedWord> words = {
      {3, 0, "elle"}, {4, 0, "elle"}, {3, 5, "elle"}, {1, 1, "table"}};
  EXPECT_EQ(placed_words_right(lines, words), .5);
  EXPECT_EQ(placed_words_right(lines, {}), 0);
}

TEST(PlacedWords, AreReadFromLinesOfThreeFields) {
  EXPECT_EQ(parse_placed_word("12\t0\telle", "f:1"), (PlacedWord{12, 0, "elle"}));
  for (const char* const bad : {"", "1\t2", "0\t1\til", "1\tx\til", "1\t2\t", "1\t2\til\tx",
                                "18446744073709551616\t2\til"}) {
    EXPECT_NE(test::message_of<DataError>([&] { parse_placed_word(bad, "f:7"); }).find("f:7: "),
              std::string::npos)
        << bad;
  }
}

TEST(PlacedWords, SayWhichLineIsMissing) {
  const std::vector<std::string> lines = {"un"};
  const std::vector<PlacedWord> words = {{2, 0, "elle"}};
  EXPECT_NE(test::message_of<DataError>([&] {
              placed_words_right(lines, words);
            }).find("\"elle\" should be in line 2, and there are 1 lines"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::metrics
