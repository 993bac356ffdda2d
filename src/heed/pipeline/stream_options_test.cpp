// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/stream_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

TEST(StreamOptions, BecomeThoseOfAStream) {
  StreamOptions mine;
  Options list;
  mine.declare_stream(list);
  list.read_toml_text("max-length = 7\ntoo-long = \"crop\"\nbatch-sentences = 3\n", "test");
  const text::BatchStreamOptions stream = mine.stream(9);
  EXPECT_EQ(stream.limit.max_length, 7);
  EXPECT_EQ(stream.limit.too_long, text::TooLong::crop);
  EXPECT_EQ(stream.size.sentences, 3);
  EXPECT_EQ(stream.seed, 9u);
}

TEST(StreamOptions, BoundTheLongestTextByWhateverIsLeast) {
  EXPECT_EQ(StreamOptions{}.limit().max_length, 1024);
  EXPECT_EQ((StreamOptions{.max_length = 2000}.limit().max_length), 2000);
  // A text and its end fill a batch.
  EXPECT_EQ((StreamOptions{.max_length = 2000, .batch_tokens = 500}.limit().max_length), 499);
  EXPECT_EQ((StreamOptions{.batch_tokens = 500}.limit().max_length), 499);
  EXPECT_EQ((StreamOptions{.batch_tokens = 1}.limit().max_length), 1);
  EXPECT_EQ((StreamOptions{.batch_tokens = 500, .batch_sentences = 8}.limit().max_length), 1024);
}

TEST(StreamPlace, ComesBackFromItsText) {
  const text::BatchStream::Position place{.epoch = 1,
                                          .window = 2,
                                          .batch = 3,
                                          .start = {.source = {4, 5}, .target = {6, 7}},
                                          .longest = 8};
  EXPECT_EQ(written_place(place), "1 2 3 4 5 6 7 8");
  EXPECT_EQ(stream_place("1 2 3 4 5 6 7 8"), place);
  EXPECT_EQ(stream_place("1 2 3 4 5 6 7").longest, 0u) << "a checkpoint of version 0.1.0";
  EXPECT_THROW(stream_place("1 2 3"), DataError);
}

TEST(DataLine, SpeaksOfTextsOrOfPairs) {
  text::StreamReport report{.pairs = 5, .source_tokens = 40, .padded_tokens = 50};
  EXPECT_EQ(data_line(report), "5 texts, 40 tokens, padding 20.0%");
  report.target_tokens = 10;
  report.skipped.add(7);
  EXPECT_EQ(data_line(report),
            "5 pairs, 40 + 10 tokens, padding 0.0%; too long and skipped: 1 (line 7)");
}

TEST(LinesOf, NamesTheLinesOfABatch) {
  EXPECT_EQ(lines_of({.lines = {17, 4}}), "lines 17, 4");
}

}  // namespace
}  // namespace heed::pipeline
