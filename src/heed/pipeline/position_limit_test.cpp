// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/position_limit.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

// Two sentences, of three tokens and of two, an end after each.
const text::Tokens kTwoSentences = {7, 8, 9, text::kEnd, 7, 8, text::kEnd};

TEST(PositionLimit, CountsTheEndAndWhatStandsInFront) {
  EXPECT_EQ((PositionLimit{.places = 9}.needed(kTwoSentences)), 7);
  EXPECT_EQ((PositionLimit{.places = 9, .front = 1}.needed(kTwoSentences)), 8);
  EXPECT_EQ((PositionLimit{.places = 9, .shape = text::TextShape::document}.needed(kTwoSentences)),
            4);
  EXPECT_TRUE(PositionLimit{}.holds(kTwoSentences));
  EXPECT_TRUE(PositionLimit{.places = 7}.holds(kTwoSentences));
  EXPECT_FALSE(PositionLimit{.places = 6}.holds(kTwoSentences));
}

TEST(PositionLimit, CountsTextsThatAreReadAsOneTogether) {
  const PositionLimit room{.places = 9, .joints = 2};
  const text::Tokens second = {5, text::kEnd};
  const auto both = room.read_as(kTwoSentences, second);
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0],
            (text::Tokens{7, 8, 9, text::kEnd, 7, 8, text::kEnd, text::kEnd, 5, text::kEnd}));
  EXPECT_FALSE(room.holds(both[0]));
  EXPECT_EQ(PositionLimit{}.read_as(kTwoSentences, second).size(), 2u);
}

TEST(PositionLimit, RefusesALengthThatForgetsTheEnd) {
  const PositionLimit room{.places = 20};
  EXPECT_NO_THROW(room.check(19));
  EXPECT_NO_THROW(room.check(0));
  EXPECT_EQ(test::message_of<UsageError>([&] { room.check(20); }),
            "--longest 20: texts of --max-length 20 take 21 learned positions, their end included; "
            "give --longest 21 or more, or a smaller --max-length");
}

TEST(PositionLimit, NamesTheLineThatDoesNotFit) {
  const text::LineEncoder encode = within(
      {.places = 6},
      [](const text::LinePair&) { return text::EncodedPair{.pairs = {{.source = kTwoSentences}}}; },
      "train.tsv", kTrainingRemedy);
  EXPECT_EQ(test::message_of<DataError>([&] { encode({.line = 3}); }),
            "train.tsv:3: a text takes 7 positions, its end included, and this model has learned "
            "6; raise --longest, or let --max-length and --too-long crop or skip it");
}

}  // namespace
}  // namespace heed::pipeline
