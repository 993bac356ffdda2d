// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of a stream's options; its place as numbers.
#include "heed/pipeline/stream_options.h"

#include <array>
#include <vector>

#include "heed/base/text.h"
#include "heed/pipeline/run.h"

namespace heed::pipeline {

void StreamOptions::declare_stream(Options& options) {
  options.add("max-length", max_length, "most tokens of a training text; 0: no limit").at_least(0);
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

text::BatchStreamOptions StreamOptions::stream(std::uint64_t seed) const {
  return {.size = {batch_tokens, batch_sentences},
          .limit = {max_length, too_long},
          .seed = seed,
          .window_pairs = static_cast<std::size_t>(shuffle_window)};
}

std::string written_place(const text::BatchStream::Position& place) {
  return written_place(std::array{place.epoch, place.window, place.batch, place.start.source.bytes,
                                  place.start.source.lines, place.start.target.bytes,
                                  place.start.target.lines});
}

text::BatchStream::Position stream_place(const std::string& written) {
  const std::vector<std::uint64_t> numbers = place_numbers(written, 7);
  return {.epoch = numbers[0],
          .window = numbers[1],
          .batch = numbers[2],
          .start = {.source = {numbers[3], numbers[4]}, .target = {numbers[5], numbers[6]}}};
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
