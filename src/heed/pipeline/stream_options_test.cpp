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

TEST(StreamPlace, ComesBackFromItsText) {
  const text::BatchStream::Position place{
      .epoch = 1, .window = 2, .batch = 3, .start = {.source = {4, 5}, .target = {6, 7}}};
  EXPECT_EQ(written_place(place), "1 2 3 4 5 6 7");
  EXPECT_EQ(stream_place("1 2 3 4 5 6 7"), place);
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
