// SPDX-License-Identifier: Apache-2.0
// Places and lines as people and checkpoints read them.
#include "heed/pipeline/batch_sequence.h"

#include "heed/pipeline/stream_options.h"

namespace heed::pipeline {

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
