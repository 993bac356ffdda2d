// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/strips/strips.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::corpora {
namespace {

TEST(DrawnStrips, HaveEveryLengthBetweenTheirLimits) {
  const DrawnStrips wanted{.fewest = 3, .most = 5};
  Random random = wanted.random();
  std::set<std::int64_t> lengths;
  for (int i = 0; i < 100; ++i) lengths.insert(wanted.length(random));
  EXPECT_EQ(lengths, (std::set<std::int64_t>{3, 4, 5}));
  EXPECT_EQ(
      test::message_of<UsageError>([&] { DrawnStrips{.fewest = 4, .most = 3}.length(random); }),
      "strips of 4 to 3 labels; give 1 or more, and no fewer than the fewest");
}

TEST(LabelText, IsALetterForEachLabel) {
  const std::vector<int> labels = {2, 0, 5, 4};
  EXPECT_EQ(label_text(labels, "abcdef"), "cafe");
  EXPECT_EQ(test::message_of<UsageError>([&] { label_text(labels, "abc"); }),
            "label 5: there are 3, counted from 0");
}

}  // namespace
}  // namespace heed::corpora
