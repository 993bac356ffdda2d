// SPDX-License-Identifier: Apache-2.0
// One encoder, two ways to write.
#include "heed/models/strip_recogniser.h"

#include "heed/autograd/ctc.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/text/batch.h"

namespace heed::models {
namespace {

// CTC's blank is symbol 0.
Ids after_blank(const Ids& labels) {
  Ids moved = labels.clone();
  for (std::int64_t i = 0; i < moved.size(); ++i) ++moved.mutable_data()[i];
  return moved;
}

}  // namespace

const std::vector<std::string>& label_writing_names() {
  static const std::vector<std::string> names = {"ctc", "attention"};
  return names;
}

StripRecogniser::StripRecogniser(const StripRecogniserOptions& options, Random& random)
    : options_(options), encoder_(options.encoder, random) {
  if (options.labels < 1) {
    throw UsageError("strip recogniser: {} labels; it takes 1 or more", options.labels);
  }
  if (options.writing == LabelWriting::ctc) {
    output_ = nn::Linear(encoder_.width(), 1 + options.labels, random);
    return;
  }
  if (options.attention == "none") {
    throw UsageError(
        "strip recogniser: a decoder without attention sees no frame; name a "
        "mechanism, or write by ctc");
  }
  decoder_ = RecurrentDecoder({.name = "strip recogniser",
                               .vocabulary = text::kFirstPiece + options.labels,
                               .source_width = encoder_.width(),
                               .source_directions = 2,
                               .cell = options.encoder.cell,
                               .embedding = options.embedding,
                               .hidden = options.hidden,
                               .attention = options.attention},
                              random);
}

void StripRecogniser::visit(nn::ParameterVisitor& visitor) {
  visitor("encoder", encoder_);
  if (options_.writing == LabelWriting::ctc) {
    visitor("output", output_);
  } else {
    visitor("decoder", decoder_);
  }
}

Variable StripRecogniser::loss(const StripTensors& strips, const StripLabels& labels,
                               const Call& call) const {
  const EncoderStates states = encoder_(strips, call);
  if (options_.writing == LabelWriting::ctc) {
    return ctc_loss(
        logits(states),
        {.labels = after_blank(labels.labels), .lengths = labels.counts, .frames = states.lengths},
        Reduction::sum);
  }
  const Sequences target = label_sequences(labels);
  return cross_entropy(decoder_.decode(decoder_.read(states), target, call).logits,
                       packed_targets(target), {.reduction = Reduction::sum});
}

Sequences label_sequences(const StripLabels& labels) {
  std::vector<text::Tokens> rows;
  for (std::int64_t b = 0; b < labels.counts.size(0); ++b) {
    text::Tokens& row = rows.emplace_back();
    for (std::int64_t u = 0; u < labels.counts.at({b}); ++u) {
      row.push_back(text::kFirstPiece + labels.labels.at({b, u}));
    }
    row.push_back(text::kEnd);
  }
  return sequences(text::pad_rows(rows));
}

}  // namespace heed::models
