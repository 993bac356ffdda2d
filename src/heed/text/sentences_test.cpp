// SPDX-License-Identifier: Apache-2.0
#include "heed/text/sentences.h"

#include <gtest/gtest.h>

namespace heed::text {
namespace {

using Sentences = std::vector<std::string_view>;

TEST(Sentences, EndAtPunctuationBeforeWhiteSpace) {
  EXPECT_EQ(sentences_of("  It costs 3.14. Really?!  Yes "),
            (Sentences{"It costs 3.14.", "Really?!", "Yes"}));
  EXPECT_EQ(sentences_of("He said \"Go.\" (Then he left.) End"),
            (Sentences{"He said \"Go.\"", "(Then he left.)", "End"}));
  EXPECT_TRUE(sentences_of("  ").empty());
}

TEST(Sentences, EndAtWideFullStopsWithoutASpace) {
  EXPECT_EQ(sentences_of("她说：「好。」我走了。再见！"),
            (Sentences{"她说：「好。」", "我走了。", "再见！"}));
}

}  // namespace
}  // namespace heed::text
