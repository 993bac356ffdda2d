// SPDX-License-Identifier: Apache-2.0
// Places and lines as people and checkpoints read them.
#include "heed/pipeline/batch_sequence.h"

#include <fmt/format.h>

#include "heed/base/warning.h"
#include "heed/pipeline/stream_options.h"

namespace heed::pipeline {

const text::PairBatch& BatchSequence::next() {
  batch_ = stream_.next();
  const text::StreamReport& report = stream_.report();
  if (!warned_ && report.cropped.count + report.skipped.count + report.split.count > 0) {
    warned_ = true;
    std::string fates;
    const auto add = [&fates](const text::CountedLines& lines, const char* fate) {
      if (lines.count > 0) fates += fmt::format("; {}: {}", fate, lines.to_string());
    };
    add(report.cropped, "cropped");
    add(report.skipped, "skipped");
    add(report.split, "split");
    warn(
        fmt::format("{}: texts of more than {} tokens{} (--max-length, --batch-tokens and "
                    "--too-long decide)",
                    stream_.name(), stream_.limit().max_length, fates));
  }
  return batch_;
}

std::string BatchSequence::report() const {
  return data_line(stream_.epoch_report().value_or(stream_.report()));
}

training::Task BatchSequence::task(std::function<training::BatchLoss(Random&)> next_batch_loss) {
  return {.parameters = {},
          .next_batch_loss = std::move(next_batch_loss),
          .position = [this] { return written_place(stream_.position()); },
          .seek = [this](const std::string& place) { stream_.seek(stream_place(place)); },
          .describe_batch = [this] { return lines_of(batch_); }};
}

}  // namespace heed::pipeline
