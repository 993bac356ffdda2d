// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/long_range/filler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed::corpora {
namespace {

TEST(Filler, HasTheWordsThatAreAskedForInWholeSentences) {
  Random random(1);
  EXPECT_TRUE(draw_filler(random, 0).empty());
  for (std::int64_t words = 3; words < 200; ++words) {
    std::int64_t found = 0;
    for (const std::string& sentence : draw_filler(random, words)) {
      const auto all = split(sentence, ' ');
      EXPECT_GE(all.size(), 3u) << sentence;
      EXPECT_LE(all.size(), 11u) << sentence;
      EXPECT_TRUE(sentence.ends_with('.') && std::isupper(static_cast<unsigned char>(sentence[0])));
      found += std::ssize(all);
    }
    EXPECT_EQ(found, words);
  }
}

TEST(Filler, NamesColoursButNoKeys) {
  Random random(2);
  const std::string text = join(draw_filler(random, 5'000), " ");
  for (const std::string_view colour : kColours) {
    EXPECT_NE(text.find(colour), std::string::npos) << colour;
  }
  EXPECT_EQ(text.find("key"), std::string::npos);
}

TEST(Filler, RefusesTooFewWords) {
  Random random(3);
  EXPECT_EQ(test::message_of<UsageError>([&] { draw_filler(random, 2); }),
            "filler: 2 words; a sentence takes 3 or more");
}

}  // namespace
}  // namespace heed::corpora
