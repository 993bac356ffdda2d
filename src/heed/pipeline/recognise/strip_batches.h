// SPDX-License-Identifier: Apache-2.0
// StripBatches: the strips that a training learns from, batch after batch. Which they are is a
// function of the seed and the number of the batch, which is the place that a checkpoint keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/corpora/strips/digit_strips.h"
#include "heed/images/idx.h"
#include "heed/pipeline/recognise/recognise_options.h"

namespace heed::pipeline {

// [B,T,F] padded with zeros, and the labels of each.
HEED_EXPORTED models::StripTensors strip_tensors(std::span<const corpora::Strip> strips);
models::StripLabels strip_labels(std::span<const corpora::Strip> strips);

class StripBatches {
 public:
  // The options must outlive it. DataError as of the files of digits.
  explicit StripBatches(const RecogniseOptions& options);

  std::vector<corpora::Strip> next();
  std::uint64_t number() const { return number_; }  // of the next
  void seek(std::uint64_t number) { number_ = number; }
  bool ends_epoch() const;  // whether the last one did
  const LearntStrips& learnt() const { return learnt_; }
  std::string report() const;
  std::uint64_t bytes() const;
  // Strips that no batch has, of digits that none has either.
  std::vector<corpora::Strip> held_out() const;

 private:
  const RecogniseOptions& options_;
  images::ImageSet digits_{};  // of training
  images::ImageSet others_{};  // of validation
  LearntStrips learnt_;
  std::uint64_t number_ = 0;
};

// Fresh strips: symbols, or digits of the set.
HEED_EXPORTED std::vector<corpora::Strip> draw_strips(StripTask task,
                                                      const images::ImageSet& digits,
                                                      const corpora::DrawnStrips& wanted);
// The digits that a training with these options keeps for validation.
HEED_EXPORTED images::ImageSet held_out_digits(const RecogniseOptions& options);

}  // namespace heed::pipeline
