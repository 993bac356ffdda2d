// SPDX-License-Identifier: Apache-2.0
// Cells to classes.
#include "heed/models/image_classifier.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {

const std::vector<std::string>& cell_pooling_names() {
  static const std::vector<std::string> names = {"attention", "mean", "max", "flat", "token"};
  return names;
}

ImageClassifier::ImageClassifier(const ImageClassifierOptions& options, Random& random)
    : options_(options), encoder_(options.encoder, random) {
  if (options.classes < 2) {
    throw UsageError("image classifier: {} classes; it takes 2 or more", options.classes);
  }
  if (options.pooling == CellPooling::token && !encoder_.has_token()) {
    throw UsageError(
        "image classifier: convolutions have no class token; pool by attention, mean, max or flat");
  }
  const std::int64_t width = encoder_.width();
  if (options.pooling == CellPooling::attention) {
    pooling_ = std::make_unique<LearnedPooling>(
        AttentionPoolingOptions{.mechanism = options.attention,
                                .query_width = width,
                                .width = width,
                                .dropout = options.attention_dropout},
        random);
  }
  const bool flat = options.pooling == CellPooling::flat;
  output_ = nn::Linear(flat ? width * encoder_.grid().cells() : width, options.classes, random);
}

bool ImageClassifier::looks() const {
  return pooling_ != nullptr || encoder_.has_token();
}

void ImageClassifier::visit(nn::ParameterVisitor& visitor) {
  visitor("encoder", encoder_);
  visitor("pooling", pooling_);
  visitor("output", output_);
}

Variable ImageClassifier::of_pixels(const Variable& pixels, const Call& call) const {
  const ImageEncoder::Read read = encoder_.read_pixels(pixels, call);
  const std::int64_t batch = read.cells.size(0);
  Variable features;
  switch (options_.pooling) {
    case CellPooling::attention: {
      const EncodedText cells{
          .states = read.cells,
          .lengths = Ids::full({batch}, static_cast<std::int32_t>(encoder_.grid().cells()))};
      features = (*pooling_)(cells, kCellSite, call);
      break;
    }
    case CellPooling::mean:
      features = mean(read.cells, 1);
      break;
    case CellPooling::maximum:
      features = maximum(read.cells, 1);
      break;
    case CellPooling::flat:
      features = reshape(read.cells, {batch, -1});
      break;
    case CellPooling::token:
      features = read.token;
      break;
  }
  return output_(nn::Dropout{options_.dropout}(features, call.noise));
}

}  // namespace heed::models
