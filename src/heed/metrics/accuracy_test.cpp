// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/accuracy.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

using Lines = std::vector<std::string>;

TEST(Accuracy, CountsLinesThatAreExactlyRight) {
  EXPECT_DOUBLE_EQ(exact_match(Lines{"a b", "c ", "d", "E"}, Lines{"a b", "c", "D", "F"}).share(),
                   0.5);
  EXPECT_DOUBLE_EQ(exact_match(Lines{}, Lines{}).share(), 0);
}

TEST(Accuracy, LeavesOutTheEmptyLinesBetweenDocuments) {
  const ExactMatch match = exact_match(Lines{"a", "", "b", "", "c"}, Lines{"a", " ", "x", "d", ""});
  EXPECT_EQ(match.right, 1u);
  EXPECT_EQ(match.lines, 4u) << "text on one side only is a mistake";
}

TEST(Accuracy, CountsWordsInTheirPlaces) {
  // a b c against a x c d: two of four places; e against e: one of one.
  EXPECT_DOUBLE_EQ(token_accuracy(Lines{"a b c", "e"}, Lines{"a x c d", "e"}), 3.0 / 5);
  EXPECT_DOUBLE_EQ(token_accuracy(Lines{""}, Lines{""}), 0);
}

TEST(Accuracy, RefusesUnequalCounts) {
  EXPECT_THROW(exact_match(Lines{"a"}, Lines{}), UsageError);
  EXPECT_THROW(token_accuracy(Lines{"a"}, Lines{}), UsageError);
}

}  // namespace
}  // namespace heed::metrics
