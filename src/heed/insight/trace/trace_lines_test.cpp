// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/trace/trace_lines.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::insight {
namespace {

using test::message_of;
using Strings = std::vector<std::string>;

TEST(MarianLines, BecomeExamplesWithTheEndsOfBothSides) {
  const TraceDocument document =
      parse_marian({"le chat ||| 0.75,0.25,0 0.1,0.8,0.1 0,0,1\ndors ||| 1,0 0,1\n", "soft.txt"},
                   {"the cat\nsleep\n", "test.en"});
  ASSERT_EQ(document.examples.size(), 2u);
  const TracedExample& first = document.examples[0];
  EXPECT_EQ(strip_of(first, "source").tokens, (Strings{"the", "cat", "</s>"}));
  EXPECT_EQ(strip_of(first, "target").tokens, (Strings{"le", "chat", "</s>"}));
  EXPECT_EQ(strip_of(first, "source").words, (std::vector<int>{0, 1, -1}));
  EXPECT_EQ(first.title, "the cat");
  const AttentionSet& set = first.attentions.front();
  EXPECT_EQ(set.kind, "cross");
  EXPECT_TRUE(set.stepwise);
  EXPECT_EQ(set.heads[0].weights.values(),
            (std::vector<Real>{.75, .25, 0, Real(.1), Real(.8), Real(.1), 0, 0, 1}));
}

TEST(MarianLines, MayHaveNoEndsAndWriteTheirPieces) {
  const TraceDocument document =
      parse_marian({"▁le ▁ch at </s> ||| 1,0 0,1 0,1 .5,.5", "soft.txt"}, {"the c@@at", "test.en"});
  const TracedExample& one = document.examples.front();
  EXPECT_EQ(strip_of(one, "target").words, (std::vector<int>{0, 1, 1, -1}));
  EXPECT_TRUE(strip_of(one, "source").words.empty());
}

TEST(MarianLines, AreRefusedWithFileAndLine) {
  const auto message = [](const char* dump, const char* source) {
    return message_of<DataError>([&] { parse_marian({dump, "soft.txt"}, {source, "test.en"}); });
  };
  const auto expect = [&](const char* dump, const char* source, const std::string& part) {
    const std::string found = message(dump, source);
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  expect("a ||| 1\nb ||| 1,x", "a\nb", "soft.txt:2: \"x\"");
  expect("a ||| 1\nb ||| -1", "a\nb", "soft.txt:2: \"-1\"");
  expect("a ||| nan", "a", "soft.txt:1: \"nan\"");
  expect("a ||| inf", "a", "soft.txt:1: \"inf\"");
  expect("a", "a", "soft.txt:1: 1 fields");
  expect("a b ||| 1", "a", "soft.txt:1: 1 rows of weights for 2 tokens of the target");
  expect("a ||| 1,0,0 0,1,0", "a", "soft.txt:1: 3 columns of weights for 1 tokens of the source");
  expect("a b ||| 1,0 1", "a b", "row 2 has 1 weights, the first has 2");
  expect("a ||| 1", "a\nb", "soft.txt has 1 lines, and test.en 2");
}

TEST(NematusBlocks, BecomeExamples) {
  const TraceDocument document =
      parse_nematus({"0 ||| le chat ||| -0.5 ||| the cat ||| 3 3\n0.9 0.1 0\n0.2 0.8 0\n0 0 1\n\n"
                     "1 ||| dors ||| -0.1 ||| sleep ||| 1 1\n0.5 0.5\n0 1\n\n",
                     "dump.txt"});
  ASSERT_EQ(document.examples.size(), 2u);
  EXPECT_EQ(strip_of(document.examples[0], "source").tokens, (Strings{"the", "cat", "</s>"}));
  EXPECT_EQ(document.examples[0].attentions[0].heads[0].weights.at({1, 1}), Real(.8));
  EXPECT_EQ(strip_of(document.examples[1], "target").tokens, (Strings{"dors", "</s>"}));
}

TEST(NematusBlocks, AreRefusedWithFileAndLine) {
  const auto expect = [&](const char* dump, const std::string& part) {
    const std::string found = message_of<DataError>([&] { parse_nematus({dump, "dump.txt"}); });
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  expect("0 ||| a ||| 0 ||| a ||| 2 2\n1 0\n0 oops\n", "dump.txt:3: \"oops\"");
  expect("0 ||| a ||| 0 ||| a ||| 2 2\n1 0\n0 1\n\nnext\n", "dump.txt:5: 1 fields");
  expect("0 ||| a ||| 0 ||| a ||| 7 2\n1 0\n0 1\n", "the sizes are \"7 2\"");
  expect("0 ||| a b ||| 0 ||| a ||| 2 3\n1 0\n", "1 rows of weights for 2 tokens");
  expect("\n\n", "no example");
}

TEST(TraceLines, AreToldApartByTheirFirstLine) {
  EXPECT_TRUE(looks_like_marian("le chat ||| 0.9,0.1 0.1,0.9\n"));
  EXPECT_FALSE(looks_like_marian("le chat ||| sleeps"));
  EXPECT_FALSE(looks_like_marian("le chat"));
  EXPECT_TRUE(looks_like_nematus("0 ||| a ||| -1 ||| b ||| 2 2\n"));
  EXPECT_FALSE(looks_like_nematus("a ||| b"));
}

TEST(TraceLines, MakeWordsOfBothKindsOfPieces) {
  EXPECT_EQ(words_of_pieces({"un@@", "known", "cat"}), (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(words_of_pieces({"▁un", "known", "▁cat", "</s>"}), (std::vector<int>{0, 0, 1, -1}));
  EXPECT_TRUE(words_of_pieces({"a", "b"}).empty());
}

}  // namespace
}  // namespace heed::insight
