// SPDX-License-Identifier: Apache-2.0
// How a training reads its text in batches, as command lines and config files say it, and the place
// in it that a checkpoint keeps.
#pragma once

#include <cstdint>
#include <string>

#include "heed/base/options.h"
#include "heed/text/batch_stream.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// Tokens of a text, its end not counted, that nobody has set a limit for. At this length a batch of
// one text takes some hundred MiB in the largest of the presets.
inline constexpr std::int64_t kLongestText = 1024;

struct StreamOptions {
  std::int64_t max_length = 0;
  text::TooLong too_long = text::TooLong::skip;
  std::int64_t batch_tokens = 4096;
  std::int64_t batch_sentences = 0;
  std::int64_t shuffle_window = 100'000;

  // What happens to which texts: none takes memory and time without limit.
  text::LengthLimit limit() const;

  void declare_stream(Options& options);
  text::BatchStreamOptions stream(std::uint64_t seed) const;
};

// The place of a stream as a checkpoint keeps it, and back; DataError for what is not one.
std::string written_place(const text::BatchStream::Position& place);
text::BatchStream::Position stream_place(const std::string& written);

// "lines 17, 4, 99"
std::string lines_of(const text::PairBatch& batch);

// "29000 pairs, 431210 + 402113 tokens, padding 9.4%; too long and skipped: 3 (lines 2, 7, 9)";
// without a second side "29000 texts, 431210 tokens, ...".
std::string data_line(const text::StreamReport& report);

}  // namespace heed::pipeline

#pragma GCC visibility pop
