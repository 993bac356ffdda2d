// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/masked/masked_lines.h"

#include <gtest/gtest.h>

#include "heed/pipeline/classify/classify_testing.h"

namespace heed::pipeline {
namespace {

TEST(MaskedBatch, PointsIntoTheFlattenedText) {
  const std::vector<text::TokenPair> pairs = {
      {.source = {5, 6, text::kEnd}, .line = 1, .labels = {0, 1, -1}},
      {.source = {7, text::kEnd}, .line = 2, .labels = {0, -1}}};
  const std::uint32_t order[] = {0, 1};
  const MaskedBatch batch = masked_batch(text::gather_batch(pairs, order), 0, 10,
                                         {.share = 1, .hidden = 1, .replaced = 0});
  EXPECT_EQ(batch.places.values(), (std::vector<std::int32_t>{0, 1, 3}));
  EXPECT_EQ(batch.wanted.values(), (std::vector<std::int32_t>{5, 6, 7}));
  EXPECT_EQ(batch.text.ids.values(),
            (std::vector<std::int32_t>{text::kUnknown, text::kUnknown, text::kEnd, text::kUnknown,
                                       text::kEnd, text::kPadding}));
}

TEST(MaskedBatch, MasksOtherWordsInAnotherEpoch) {
  text::TokenPair line{.source = {}, .line = 1};
  for (std::int32_t word = 0; word < 40; ++word) {
    line.source.push_back(4 + word % 6);
    line.labels.push_back(word);
  }
  line.source.push_back(text::kEnd);
  line.labels.push_back(-1);
  const std::uint32_t order[] = {0};
  const text::PairBatch batch = text::gather_batch(std::span(&line, 1), order);
  const auto places = [&](std::uint64_t epoch) {
    return masked_batch(batch, epoch, 10, {.share = .5}).places.values();
  };
  EXPECT_EQ(places(0), places(0));
  EXPECT_NE(places(0), places(1));
}

TEST(MaskedLines, EndWhereTheyAreCropped) {
  const std::vector<std::string> lines = {"the cat sat on the mat"};
  const auto tokeniser =
      text::train_tokeniser({.kind = text::TokeniserKind::words, .size = 20}, lines);
  const text::LineEncoder encode =
      masked_line_encoder(*tokeniser, {.max_length = 3, .too_long = text::TooLong::crop}, "lines");
  const text::EncodedPair found = encode({.source = lines[0], .line = 1});
  EXPECT_EQ(found.outcome, text::Outcome::cropped);
  ASSERT_EQ(found.pairs.size(), 1u);
  EXPECT_EQ(found.pairs[0].source.size(), 4u);
  EXPECT_EQ(found.pairs[0].source.back(), text::kEnd);
  EXPECT_EQ(found.pairs[0].labels.size(), 4u);
}

// What is scored together is scored as it would be alone, line by line.
TEST(MaskedScores, AreThoseOfEachLine) {
  MaskedOptions options;
  options.mask_share = .5;
  Random random(1);
  models::TextEncoderOptions shape = options.to_options(12);
  shape.stack.dropout = 0;
  const models::MaskedModel model(shape, random);
  std::vector<text::TokenPair> lines;
  for (std::uint64_t line = 1; line <= 6; ++line) {
    text::TokenPair pair{.source = {}, .line = line};
    for (std::uint64_t i = 0; i < line; ++i) {
      pair.source.push_back(static_cast<text::Token>(4 + (line + i) % 8));
      pair.labels.push_back(static_cast<std::int32_t>(i));
    }
    pair.source.push_back(text::kEnd);
    pair.labels.push_back(-1);
    lines.push_back(std::move(pair));
  }
  const auto together = masked_scores(model, lines, options);
  ASSERT_EQ(together.size(), lines.size());
  double masks = 0;
  for (const MaskedScore& score : together) {
    const auto alone = masked_scores(model, std::span(&lines[score.line - 1], 1), options);
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_EQ(alone[0].line, score.line);
    EXPECT_EQ(alone[0].masks, score.masks);
    EXPECT_EQ(alone[0].right, score.right);
    EXPECT_NEAR(alone[0].loss, score.loss, 1e-4);
    masks += score.masks;
  }
  EXPECT_GT(masks, 3);
}

}  // namespace
}  // namespace heed::pipeline
