// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of a stream's options; its place as numbers.
#include "heed/pipeline/stream_options.h"

#include <algorithm>
#include <array>
#include <vector>

#include "heed/base/text.h"
#include "heed/pipeline/run.h"

namespace heed::pipeline {

void StreamOptions::declare_stream(Options& options) {
  options.section("Batches");
  options
      .add("max-length", max_length,
           fmt::format("most tokens of a training text; 0: {}. No text may be longer than a batch "
                       "of --batch-tokens",
                       kLongestText))
      .at_least(0);
  options.add("too-long", too_long, text::too_long_names(), "what happens to a longer one");
  options
      .add("batch-tokens", batch_tokens,
           "size of a batch: texts times the tokens of the longest, on the longer side")
      .range(1, 1 << 24);
  options
      .add("batch-sentences", batch_sentences,
           "size of a batch in texts instead; 0: --batch-tokens decides")
      .range(0, 1 << 20);
  options
      .add("shuffle-window", shuffle_window,
           "texts shuffled and sorted together; more take more memory")
      .range(1, 1e9);
}

text::LengthLimit StreamOptions::limit() const {
  std::int64_t most = max_length > 0 ? max_length : kLongestText;
  // With its end it fills a batch.
  if (batch_sentences == 0) most = std::min(most, std::max<std::int64_t>(batch_tokens - 1, 1));
  return {most, too_long};
}

text::BatchStreamOptions StreamOptions::stream(std::uint64_t seed) const {
  return {.size = {batch_tokens, batch_sentences},
          .limit = limit(),
          .seed = seed,
          .window_pairs = static_cast<std::size_t>(shuffle_window)};
}

std::string written_place(const text::BatchStream::Position& place) {
  return written_place(std::array{place.epoch, place.window, place.batch, place.start.source.bytes,
                                  place.start.source.lines, place.start.target.bytes,
                                  place.start.target.lines, place.longest});
}

text::BatchStream::Position stream_place(const std::string& written) {
  // Version 0.1.0 did not count the longest.
  constexpr std::size_t kOlder = 7;
  const bool older = split(written, ' ').size() == kOlder;
  std::vector<std::uint64_t> numbers = place_numbers(written, older ? kOlder : kOlder + 1);
  if (older) numbers.push_back(0);
  return {.epoch = numbers[0],
          .window = numbers[1],
          .batch = numbers[2],
          .start = {.source = {numbers[3], numbers[4]}, .target = {numbers[5], numbers[6]}},
          .longest = numbers[7]};
}

std::string lines_of(const text::PairBatch& batch) {
  std::vector<std::string> numbers;
  for (const std::uint64_t line : batch.lines) numbers.push_back(fmt::format("{}", line));
  return fmt::format("lines {}", join(numbers, ", "));
}

std::string data_line(const text::StreamReport& report) {
  std::string line = report.target_tokens == 0
                         ? fmt::format("{} texts, {} tokens", report.pairs, report.source_tokens)
                         : fmt::format("{} pairs, {} + {} tokens", report.pairs,
                                       report.source_tokens, report.target_tokens);
  line += fmt::format(", padding {:.1f}%", 100 * report.padding_waste());
  const auto add = [&line](const text::CountedLines& lines, const char* fate) {
    if (lines.count > 0) line += fmt::format("; {}: {}", fate, lines.to_string());
  };
  add(report.empty, report.target_tokens == 0 ? "without text" : "without text on a side");
  add(report.skipped, "too long and skipped");
  add(report.cropped, "cropped");
  add(report.split, "split");
  return line;
}

}  // namespace heed::pipeline
