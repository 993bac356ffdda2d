// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/stories.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/text.h"

namespace heed::corpora {
namespace {

TEST(Stories, ReturnToTheNamesTheyBeginWith) {
  Random random(1);
  for (const Part part : {Part::train, Part::test}) {
    for (int i = 0; i < 300; ++i) {
      const std::string story = draw_story(random, part).source;
      const auto words = split(story, ' ');
      const auto lost = std::ranges::find(words, "lost");
      ASSERT_NE(lost, words.end());
      const std::string_view seeker = lost[-1];
      const std::string_view helper = words[words.size() - 5];  // "HELPER and SEEKER were friends."
      const auto mentions = [&](std::string_view name) {
        return std::ranges::count_if(words,
                                     [&](std::string_view word) { return word.starts_with(name); });
      };
      EXPECT_EQ(part_of_name(seeker), part) << story;
      EXPECT_GE(mentions(seeker), 4) << story;
      EXPECT_EQ(part_of_name(helper), part) << story;
      EXPECT_GE(mentions(helper), 4) << story;
      const auto sentences = split(story, '.').size() - 1;
      EXPECT_GE(sentences, 5u) << story;
      EXPECT_LE(sentences, 9u) << story;
    }
  }
}

}  // namespace
}  // namespace heed::corpora
