// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/sequences.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::corpora {
namespace {

TEST(Sequences, AreCopiedReversedAndSorted) {
  for (const auto task : {SequenceTask::copy, SequenceTask::reverse, SequenceTask::sort}) {
    Random random(3);
    const Example example = draw_sequence(task, 40, random);
    ASSERT_EQ(example.source.size(), 79u);
    std::string letters, expected;
    for (std::size_t i = 0; i < 79; i += 2) letters += example.source[i];
    if (task == SequenceTask::reverse) std::ranges::reverse(letters);
    if (task == SequenceTask::sort) std::ranges::sort(letters);
    for (const char letter : letters) expected += {letter, ' '};
    EXPECT_EQ(example.target + " ", expected);
  }
}

TEST(Sequences, LinkEachLetterToItsPlaceEqualOnesInOrder) {
  Random random(3);
  const Example example = draw_sequence(SequenceTask::sort, 40, random);
  ASSERT_EQ(example.alignment.size(), 40u);
  int last_equal = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const text::Link& link = example.alignment[i];
    EXPECT_EQ(example.source[2 * i], example.target[2 * static_cast<std::size_t>(link.target)]);
    for (std::size_t j = i + 1; j < 40; ++j) {
      if (example.source[2 * i] != example.source[2 * j]) continue;
      EXPECT_LT(link.target, example.alignment[j].target);
      ++last_equal;
    }
  }
  EXPECT_GT(last_equal, 0) << "40 of 26 letters: some are equal";
}

}  // namespace
}  // namespace heed::corpora
