// SPDX-License-Identifier: Apache-2.0
// ImageBatches: the images that a training learns from, batch after batch: every image once an
// epoch, on a fresh canvas where there are canvases. Which they are is a function of the seed and
// the number of the batch, which is the place that a checkpoint keeps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/images/image_set.h"
#include "heed/pipeline/look/look_options.h"

namespace heed::pipeline {

struct ImageBatch {
  models::ImageTensors images{};
  Ids labels{};  // [B]
};
HEED_EXPORTED ImageBatch image_batch(std::span<const corpora::Canvas> canvases);

// The images of a path or of a pair of IDX files in what the model reads; canvases are made of them
// later. DataError for labels that it has not learnt.
struct ImageFiles {
  std::string images{};  // IDX, or a folder or list
  std::string labels{};  // IDX
};
HEED_EXPORTED images::ImageSet read_images_for(const LearntImages& learnt, const ImageFiles& files);

class ImageBatches {
 public:
  // The options must outlive it. DataError as of the files.
  explicit ImageBatches(const LookOptions& options);

  ImageBatch next();
  std::uint64_t number() const { return number_; }  // of the next
  void seek(std::uint64_t number) { number_ = number; }
  std::uint64_t epoch_batches() const;
  bool ends_epoch() const { return number_ % epoch_batches() == 0; }  // whether the last one did
  const LearntImages& learnt() const { return learnt_; }
  std::string report() const;
  std::uint64_t bytes() const { return set_.pixels.size() + others_.pixels.size(); }
  // Canvases that no batch has, of images that none has either; the same for the same options.
  std::vector<corpora::Canvas> held_out() const;

 private:
  std::int64_t size() const { return learnt_.of_scenes() ? options_.scenes : set_.size(); }
  std::vector<std::int64_t> order_of(std::uint64_t epoch) const;

  const LookOptions& options_;
  images::ImageSet set_{};     // of training, unless built-in scenes are
  images::ImageSet others_{};  // of validation
  LearntImages learnt_{};
  std::vector<std::int64_t> order_{};
  std::uint64_t ordered_epoch_ = 0;
  std::uint64_t number_ = 0;
};

// So many canvases, at most, of what a training with these options keeps for validation; built-in
// scenes are as many as are asked for.
HEED_EXPORTED std::vector<corpora::Canvas> held_out_canvases(const LookOptions& options,
                                                             const LearntImages& learnt,
                                                             std::int64_t count,
                                                             std::uint64_t seed);

}  // namespace heed::pipeline
