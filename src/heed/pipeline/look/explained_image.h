// SPDX-License-Identifier: Apache-2.0
// An image as explainers ask a classifier of images about it: the score (logit) of one class, by
// the cells of its grid, whose pixels are taken away or scaled.
#pragma once

#include <memory>
#include <vector>

#include "heed/explain/subject.h"
#include "heed/models/image_classifier.h"

namespace heed::pipeline {

// Erased cells are guessed from what is around them (images/fill_in.h), masked ones are grey, zero
// is black.
class ExplainedImage final : public explain::Subject {
 public:
  struct Parts {
    std::shared_ptr<const models::ImageClassifier> model;
    images::Image image;  // as the model sees it
    std::int64_t label = 0;
    std::vector<double> attention{};  // of each cell; empty without
  };
  explicit ExplainedImage(Parts parts);

  std::size_t size() const override { return static_cast<std::size_t>(grid_.cells()); }
  std::size_t columns() const override { return static_cast<std::size_t>(grid_.columns); }
  std::vector<double> outputs(std::span<const explain::Kept> copies,
                              explain::Removal removal) const override;
  // The vector of a cell are its pixels.
  bool has_vectors() const override { return true; }
  explain::Vectors vectors() const override;
  std::vector<double> outputs_at(std::span<const explain::Vectors> copies) const override;
  std::vector<explain::Vectors> gradients_at(
      std::span<const explain::Vectors> copies) const override;
  bool attends() const override { return !parts_.attention.empty(); }
  std::vector<double> attention() const override;
  bool has_attention_gradients() const override { return attends(); }
  std::vector<double> attention_gradients() const override;
  bool has_looks() const override;
  explain::Looks looks() const override;

 private:
  images::Image without(const explain::Kept& kept, explain::Removal removal) const;
  images::Image with(const explain::Vectors& cells) const;
  // pixels [N,C,H,W] -> the score of the class [N]
  Variable scores(const Variable& pixels, attention::Observer* watch = nullptr) const;

  Parts parts_;
  models::ImageGridShape grid_;
  std::vector<std::size_t> cells_;  // of each pixel
};

}  // namespace heed::pipeline
