// SPDX-License-Identifier: Apache-2.0
// Encoding, stepping and voting of encoder-decoders.
#include "heed/decoding/translation_stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/softmax.h"
#include "heed/tensor/arithmetic.h"

namespace heed::decoding {
namespace {

// logits [N,V] -> log-probabilities, in place where nothing else sees the logits.
Tensor log_probabilities(const Tensor& logits) {
  Tensor found = logits.contiguous() && logits.unique() ? logits : Tensor(logits.shape());
  const Tensor packed = logits.packed();
  kernels::log_softmax(packed.data(), found.mutable_data(), static_cast<std::size_t>(found.size(0)),
                       static_cast<std::size_t>(found.size(1)));
  return found;
}

// log(mean of exp(x)) over the voters, from the largest down, so that small ones do not vanish.
Tensor vote(const std::vector<Tensor>& voters) {
  Tensor largest = voters[0];
  for (std::size_t i = 1; i < voters.size(); ++i) {
    largest = binary(kernels::Binary::maximum, largest, voters[i], "ensemble");
  }
  // A token that no model thinks possible has no difference to take; NaN stays NaN.
  largest = binary(kernels::Binary::maximum, largest,
                   Tensor::scalar(std::numeric_limits<Real>::lowest()), "ensemble");
  Tensor sum;
  for (const Tensor& voter : voters) {
    const Tensor share = map(kernels::exp<Real>, voter - largest);
    sum = sum.defined() ? sum + share : share;
  }
  return largest + map(kernels::log<Real>, sum) - std::log(static_cast<Real>(voters.size()));
}

}  // namespace

TranslationStepper::TranslationStepper(const Models& models, const models::Source& source,
                                       attention::Observer* watch)
    : TranslationStepper(read(models, source, watch), source.sentences.lengths) {}

std::vector<TranslationStepper::Reader> TranslationStepper::read(const Models& models,
                                                                 const models::Source& source,
                                                                 attention::Observer* watch) {
  const NoGradient values_only;
  std::vector<Reader> readers;
  for (const models::EncoderDecoder* model : models) {
    readers.push_back({&model->decoder(), model->encode(source, {.watch = watch})});
  }
  return readers;
}

TranslationStepper::TranslationStepper(std::vector<Reader> readers, const Ids& lengths)
    : lengths_(lengths.values()) {
  if (readers.empty()) throw UsageError("translation: no model; give one or more");
  const NoGradient values_only;
  for (Reader& reader : readers) {
    Voter voter{reader.decoder, std::move(reader.encoded), {}};
    voter.state = voter.decoder->start(voter.encoded);
    voters_.push_back(std::move(voter));
  }
  sentences_.resize(lengths_.size());
  for (std::size_t row = 0; row < sentences_.size(); ++row) {
    sentences_[row] = static_cast<std::int32_t>(row);
  }
}

Tensor TranslationStepper::step(const Ids& tokens, attention::Observer* watch) {
  const NoGradient values_only;
  const PackedWeights::Scope scope(weights_);
  std::vector<Tensor> found;
  for (Voter& voter : voters_) {
    models::Step step = voter.decoder->step(voter.encoded, voter.state, tokens, {.watch = watch});
    const Tensor logits = step.logits.value();
    step.logits = {};
    voter.state = std::move(step.state);
    found.push_back(log_probabilities(logits));
    if (found.back().shape() != found.front().shape()) {
      throw UsageError(
          "translation: model 0 has a target vocabulary of {} tokens and model {} one of {}; "
          "models that vote need the same vocabulary",
          found.front().size(1), found.size() - 1, found.back().size(1));
    }
  }
  return found.size() == 1 ? found.front() : vote(found);
}

void TranslationStepper::reorder(const Ids& rows) {
  const NoGradient values_only;
  std::vector<std::int32_t> sentences;
  sentences.reserve(static_cast<std::size_t>(rows.size()));
  for (const std::int32_t row : rows.span()) {
    sentences.push_back(sentences_.at(static_cast<std::size_t>(row)));
  }
  // Beams mostly change places within their sentence, where each sees the same source.
  const bool same_sources = sentences == sentences_;
  for (Voter& voter : voters_) {
    if (!same_sources) voter.encoded = voter.encoded.reordered(rows);
    voter.state = voter.state.reordered(rows);
  }
  source_copies_ += !same_sources;
  sentences_ = std::move(sentences);
}

Ids TranslationStepper::source_lengths() const {
  Ids lengths({rows()});
  std::ranges::transform(sentences_, lengths.mutable_data(), [&](std::int32_t sentence) {
    return lengths_[static_cast<std::size_t>(sentence)];
  });
  return lengths;
}

std::int64_t TranslationStepper::longest() const {
  std::int64_t least = 0;
  for (const Voter& voter : voters_) {
    const std::int64_t own = voter.decoder->longest();
    if (own > 0) least = least == 0 ? own : std::min(least, own);
  }
  return least;
}

}  // namespace heed::decoding
