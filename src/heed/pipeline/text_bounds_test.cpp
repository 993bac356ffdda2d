// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/text_bounds.h"

#include <gtest/gtest.h>

namespace heed::pipeline {
namespace {

TEST(TextBounds, NameWhatNoModelReads) {
  EXPECT_EQ(text_problem("the cat"), "");
  EXPECT_EQ(text_problem(std::string(kMostTextBytes, 'a')), "");
  EXPECT_EQ(text_problem(std::string(kMostTextBytes * 2, 'a')),
            "the text has 2.0 MiB, and at most 1.0 MiB are read as one; put its sentences on lines "
            "of their own");
  const std::string nul("a\0b", 3);
  EXPECT_EQ(text_problem(nul), "byte 2 is NUL, which no text holds; leave it out");
  EXPECT_EQ(nul_problem(std::string(kMostTextBytes * 2, 'a')), "");
}

TEST(TextBounds, FollowWhatWasAskedForThenTrainingThenTheDefault) {
  EXPECT_EQ(longest_read(0, 0), 1024);
  EXPECT_EQ(longest_read(0, 40), 1024);
  EXPECT_EQ(longest_read(0, 4000), 4000);
  EXPECT_EQ(longest_read(7, 4000), 7);
}

TEST(BadTexts, KnowTheirLineOfAFile) {
  const BadText bad("line", 12, 2, "too long");
  EXPECT_STREQ(bad.what(), "line 12: too long");
  EXPECT_STREQ(bad.in_file("data.txt", 10).what(), "data.txt:12: too long");
  EXPECT_EQ(bad.in_file("data.txt", 10).exit_code(), 3);
}

}  // namespace
}  // namespace heed::pipeline
