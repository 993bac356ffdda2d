// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/long_range/copy_memory.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed::corpora {
namespace {

TEST(CopyMemory, AsksForALetterBehindTheBlanks) {
  Random random(1);
  const std::regex form("([a-h]( [a-h]){3})( -){35} ([1-4])");
  std::set<std::string> asked;
  for (int turn = 0; turn < 160; ++turn) {
    const Example example = draw_copy_memory(random, 4, 40, turn);
    std::smatch found;
    ASSERT_TRUE(std::regex_match(example.source, found, form)) << example.source;
    // The letters alone stand at every second byte.
    const std::int64_t place = parse_integer(found[4].str(), "number") - 1;
    EXPECT_EQ(example.labels[0], found[1].str().substr(static_cast<std::size_t>(2 * place), 1));
    EXPECT_EQ(example.evidence, (std::vector<std::vector<int>>{{static_cast<int>(place)}}));
    asked.insert(found[4].str());
  }
  EXPECT_EQ(asked.size(), 4u);
}

TEST(CopyMemory, NeedsRoomForABlank) {
  Random random(2);
  EXPECT_EQ(draw_copy_memory(random, 1, 3, 5).source, "f - 1");
  EXPECT_EQ(test::message_of<UsageError>([&] { draw_copy_memory(random, 8, 9, 0); }),
            "copy-memory: 9 words; 8 letters, a blank and the question take 10 or more");
}

TEST(CopyMemory, OfTheCorpusIsTwoThousandStepsBack) {
  const Corpus corpus = make_corpus("copy-memory", {.size = 50});
  for (const Example& example : corpus.train) {
    EXPECT_EQ(split(example.source, ' ').size(), 2'010u);
    EXPECT_GE(2'009 - example.evidence[0][0], 2'000);
  }
}

}  // namespace
}  // namespace heed::corpora
