// SPDX-License-Identifier: Apache-2.0
// Tests of the choices for pairs that are too long.
#include "heed/text/pair_encoder.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::message_of;

const LinePair kTwoSentences = {"a b. c d.", "a b c. d.", 7};  // 6 and 6 words

class PairEncoderTest : public ::testing::Test {
 protected:
  PairEncoder encoder(LengthLimit limit) const {
    return {.source = words_.get(), .target = words_.get(), .limit = limit, .name = "f"};
  }
  std::string text(const Tokens& tokens) const { return words_->decode(tokens).text; }

 private:
  std::unique_ptr<Tokeniser> words_ =
      train_tokeniser({.kind = TokeniserKind::words}, std::vector<std::string>{"a b c d e ."});
};

TEST_F(PairEncoderTest, EndsBothSides) {
  const EncodedPair encoded = encoder({})(kTwoSentences);
  EXPECT_EQ(encoded.outcome, Outcome::kept);
  ASSERT_EQ(encoded.pairs.size(), 1u);
  EXPECT_EQ(encoded.pairs[0].source.size(), 7u);
  EXPECT_EQ(encoded.pairs[0].source.back(), kEnd);
  EXPECT_EQ(encoded.pairs[0].target.back(), kEnd);
  EXPECT_EQ(encoded.pairs[0].line, 7u);
  EXPECT_EQ(encoder({.max_length = 6})(kTwoSentences).outcome, Outcome::kept);  // ends do not count
}

TEST_F(PairEncoderTest, FailsWithTheLineAndTheLengths) {
  EXPECT_TRUE(holds(message_of<DataError>([&] { encoder({.max_length = 5})(kTwoSentences); }),
                    "f: line 7 has 6 source and 6 target tokens, and at most 5 are allowed"));
}

TEST_F(PairEncoderTest, CropsEachSide) {
  const EncodedPair encoded =
      encoder({.max_length = 4, .too_long = TooLong::crop})({"a b c d e", "a", 1});
  EXPECT_EQ(encoded.outcome, Outcome::cropped);
  EXPECT_EQ(text(encoded.pairs.at(0).source), "a b c d");
  EXPECT_EQ(encoded.pairs.at(0).source.back(), kEnd);
  EXPECT_EQ(text(encoded.pairs.at(0).target), "a");
}

TEST_F(PairEncoderTest, SkipsWholePairs) {
  const EncodedPair encoded =
      encoder({.max_length = 4, .too_long = TooLong::skip})({"a b c d e", "a", 1});
  EXPECT_EQ(encoded.outcome, Outcome::skipped);
  EXPECT_TRUE(encoded.pairs.empty());
}

TEST_F(PairEncoderTest, SplitsAtSentencesWhenBothSidesHaveEquallyMany) {
  const EncodedPair encoded = encoder({.max_length = 4, .too_long = TooLong::split})(kTwoSentences);
  EXPECT_EQ(encoded.outcome, Outcome::split);
  ASSERT_EQ(encoded.pairs.size(), 2u);
  EXPECT_EQ(text(encoded.pairs[0].source), "a b.");
  EXPECT_EQ(text(encoded.pairs[0].target), "a b c.");
  EXPECT_EQ(text(encoded.pairs[1].source), "c d.");
  EXPECT_EQ(text(encoded.pairs[1].target), "d.");
  EXPECT_EQ(encoded.pairs[1].line, 7u);
}

TEST_F(PairEncoderTest, PutsShortSentencesTogetherUpToTheLimit) {
  const EncodedPair encoded = encoder({.max_length = 4, .too_long = TooLong::split})(
      {"a. b. c. d. e.", "a. b. c. d. e.", 1});
  ASSERT_EQ(encoded.pairs.size(), 3u);
  EXPECT_EQ(text(encoded.pairs[0].source), "a. b.");
  EXPECT_EQ(text(encoded.pairs[2].target), "e.");
}

TEST_F(PairEncoderTest, SkipsWhatCannotBeSplit) {
  const PairEncoder split = encoder({.max_length = 4, .too_long = TooLong::split});
  EXPECT_EQ(split({"a b. c d.", "a b c d e.", 1}).outcome, Outcome::skipped);     // 2 and 1
  EXPECT_EQ(split({"a b c d e. a.", "a b c. d.", 1}).outcome, Outcome::skipped);  // one is too long
}

TEST(PairEncoder, CallsTextThatIsNormalisedAwayEmpty) {
  const auto subwords =
      train_tokeniser({.kind = TokeniserKind::unigram, .size = 30}, test::made_up_lines(100, 5));
  const PairEncoder encoder{.source = subwords.get(), .target = subwords.get()};
  EXPECT_EQ(encoder({"ba", "\u200B", 1}).outcome, Outcome::empty);
}

}  // namespace
}  // namespace heed::text
