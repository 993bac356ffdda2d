// SPDX-License-Identifier: Apache-2.0
// Classifiers of images: an encoder, its cells read into one vector, and a linear layer to the
// classes. What the attention that reads them weighs are the regions that the answer rests on.
//
// Letters: B images, L cells, D features, C classes.
#pragma once  // public header

#include <memory>

#include "heed/models/image_encoder.h"
#include "heed/models/pooling.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// One vector of all cells: by attention of a learned query, their mean, the largest of each
// feature, all of them side by side, or the class token instead of them.
enum class CellPooling { attention, mean, maximum, flat, token };
// "attention", "mean", "max", "flat", "token", in the order of the enumerators.
const std::vector<std::string>& cell_pooling_names();

struct ImageClassifierOptions {
  ImageEncoderOptions encoder{};
  CellPooling pooling = CellPooling::attention;
  std::string attention = "additive";  // its mechanism in the written form
  Real attention_dropout = 0;
  Real dropout = 0;  // of what is read
  std::int64_t classes = 10;
};

class ImageClassifier {
 public:
  // UsageError for options that do not fit each other.
  ImageClassifier(const ImageClassifierOptions& options, Random& random);

  // [B,C]
  Variable operator()(const ImageTensors& images, const Call& call) const {
    return of_pixels(Variable(images.pixels), call);
  }
  // The same of pixels that may be variables, for gradients by them.
  Variable of_pixels(const Variable& pixels, const Call& call) const;
  const ImageEncoder& encoder() const { return encoder_; }
  const ImageClassifierOptions& options() const { return options_; }
  // Whether it has weights over cells: of its pooling, or of a class token.
  bool looks() const;
  void visit(nn::ParameterVisitor& visitor);

  static constexpr attention::Site kCellSite{
      .role = attention::Role::pooling, .set = "pooling", .queries = "class", .keys = "image"};

 private:
  ImageClassifierOptions options_;
  ImageEncoder encoder_;
  std::unique_ptr<LearnedPooling> pooling_;
  nn::Linear output_;
};

}  // namespace heed::models

#pragma GCC visibility pop
