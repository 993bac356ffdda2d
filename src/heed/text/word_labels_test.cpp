// SPDX-License-Identifier: Apache-2.0
#include "heed/text/word_labels.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::text {
namespace {

TEST(WordLabels, AreOneForEachWord) {
  EXPECT_EQ(parse_word_labels("det  noun\tverb ", "the dog sleeps"),
            (std::vector<std::string>{"det", "noun", "verb"}));
  EXPECT_TRUE(parse_word_labels(" ", "").empty());
  EXPECT_EQ(test::message_of<DataError>([] { parse_word_labels("det", "the dog", "a.parts:7"); }),
            "a.parts:7: 1 label for a text of 2 words; give one for each, spaces between");
}

}  // namespace
}  // namespace heed::text
