// SPDX-License-Identifier: Apache-2.0
// BatchSequence: the batches of a corpus one after the other, at a place that a checkpoint keeps,
// and the half of a training task that this is, whatever is learnt from them.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "heed/text/batch_stream.h"
#include "heed/training/trainer.h"

namespace heed::pipeline {

class BatchSequence {
 public:
  explicit BatchSequence(text::BatchStream stream) : stream_(std::move(stream)) {}

  // The next batch, which stays as batch() until the one after it.
  // DataError as of BatchStream. The first time that texts were too long it warns.
  const text::PairBatch& next();
  const text::PairBatch& batch() const { return batch_; }
  bool ended_epoch() const { return stream_.ended_epoch(); }
  std::uint64_t epoch() const { return stream_.position().epoch; }
  std::uint64_t window_batches() const { return stream_.window_batches(); }
  // Tokens of the longest text so far, its end not counted.
  std::int64_t longest() const { return static_cast<std::int64_t>(stream_.position().longest); }
  // What was read: of a whole epoch once there was one.
  std::string report() const;

  // A task with next_batch_loss, position, seek and describe_batch; it refers to this.
  training::Task task(std::function<training::BatchLoss(Random&)> next_batch_loss);

 private:
  text::BatchStream stream_;
  text::PairBatch batch_{};
  bool warned_ = false;
};

}  // namespace heed::pipeline
