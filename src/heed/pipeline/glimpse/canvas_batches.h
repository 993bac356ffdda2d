// SPDX-License-Identifier: Apache-2.0
// CanvasBatches: the canvases that a training looks at, each image of its set once an epoch. Which
// they are is a function of the seed and the number of the batch, the place a checkpoint keeps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/images/image_folder.h"
#include "heed/pipeline/glimpse/glimpse_train_options.h"

namespace heed::pipeline {

// Images of a set with their labels: IDX where `labels` are named, else a folder or a TSV. Where
// `names` are given they are the labels there may be.
struct ImageSource {
  std::string images{};
  std::string labels{};
  std::vector<std::string> names{};
  images::ImageForm form{};  // of folders and TSVs; without a size: that of the first image
};
HEED_EXPORTED images::ImageSet read_image_source(const ImageSource& source);
// What a training with these options keeps for validation.
HEED_EXPORTED images::ImageSet held_out_images(const GlimpseTrainOptions& options);

// [B,H,W,C], and the labels of each, left to right, [B,targets].
HEED_EXPORTED Tensor canvas_tensor(std::span<const corpora::Canvas> canvases);
Ids canvas_labels(std::span<const corpora::Canvas> canvases);

class CanvasBatches {
 public:
  // The options must outlive it. DataError as of the files; UsageError for a canvas that cannot
  // hold the images.
  explicit CanvasBatches(const GlimpseTrainOptions& options);

  std::vector<corpora::Canvas> next();
  std::uint64_t number() const { return number_; }  // of the next
  void seek(std::uint64_t number) { number_ = number; }
  bool ends_epoch() const { return number_ % epoch_batches() == 0; }
  std::uint64_t epoch_batches() const;
  const LearntCanvases& learnt() const { return learnt_; }
  std::string report() const;
  std::uint64_t bytes() const { return images_.pixels.size() + others_.pixels.size(); }
  // Canvases that stay, of images that no batch has.
  std::vector<corpora::Canvas> held_out() const;

 private:
  const GlimpseTrainOptions& options_;
  images::ImageSet images_{};
  images::ImageSet others_{};
  LearntCanvases learnt_;
  std::uint64_t number_ = 0;
  std::uint64_t epoch_of_order_ = ~std::uint64_t{0};
  std::vector<std::int64_t> order_{};
};

}  // namespace heed::pipeline
