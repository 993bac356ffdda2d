// SPDX-License-Identifier: Apache-2.0
// An encoder and a decoder, and the penalty that spreads looks over an image.
#include "heed/models/captioner.h"

#include "heed/attention/positions.h"
#include "heed/autograd/ops.h"

namespace heed::models {

namespace {

constexpr std::int64_t kPlaceWidth = 32;

bool carries_places(const CaptionerOptions& options) {
  return options.attention != "none" && options.carries == Carries::place;
}

Tensor places_of(const CaptionerOptions& options, const ImageGridShape& grid) {
  if (!carries_places(options)) return {};
  return attention::grid_positions(grid.rows, grid.columns, kPlaceWidth);
}

}  // namespace

const std::vector<std::string>& carries_names() {
  static const std::vector<std::string> names = {"read", "place"};
  return names;
}

Captioner::Captioner(const CaptionerOptions& options, Random& random)
    : options_(options),
      encoder_(options.encoder, random),
      decoder_({.name = "captioner",
                .vocabulary = options.vocabulary,
                .source_width = encoder_.width(),
                .embedding = options.embedding,
                .hidden = options.hidden,
                .attention = options.attention,
                .arrangement = carries_places(options) ? Arrangement::luong : Arrangement::bahdanau,
                .places = places_of(options, encoder_.grid()),
                .fixed = Fixed::every_step,
                .dropout = options.dropout,
                .gate = options.gate && options.attention != "none" && !carries_places(options),
                .shows_weights = options.attention != "none"},
               random) {}

void Captioner::visit(nn::ParameterVisitor& visitor) {
  visitor("encoder", encoder_);
  visitor("decoder", decoder_);
}

Variable doubly_stochastic(const Variable& weights, const Ids& lengths, double share) {
  const std::int64_t batch = weights.size(0), steps = weights.size(1), cells = weights.size(2);
  Tensor counted = Tensor::zeros({batch, steps, 1}), shares({batch, 1});
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t words = lengths.at({b}) - 1;
    std::fill_n(counted.mutable_data() + b * steps, words, Real{1});
    shares.mutable_data()[b] = static_cast<Real>(
        share > 0 ? share : static_cast<double>(words) / static_cast<double>(cells));
  }
  return sum(square(sum(weights * Variable(counted), 1) - Variable(shares)));
}

}  // namespace heed::models
