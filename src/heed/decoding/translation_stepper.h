// SPDX-License-Identifier: Apache-2.0
// TranslationStepper: one encoder-decoder, or several that vote, as a search steps through them.
#pragma once  // public header

#include <cstdint>
#include <vector>

#include "heed/decoding/stepper.h"
#include "heed/models/encoder_decoder.h"
#include "heed/tensor/packed_weights.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

// The source is encoded once. Several models give the mean of their probabilities; they must read
// the same source tokens and write the same vocabulary (UsageError at the first step). Tokens
// after the vocabulary are the sentence's own words, where models copy.
class TranslationStepper final : public Stepper {
 public:
  using Models = std::vector<const models::EncoderDecoder*>;

  // The models must outlive the stepper. Attentions of the encoders are shown to `watch` unless it
  // is nullptr; those of the decoders are step()'s, model after model.
  TranslationStepper(const Models& models, const models::Source& source,
                     attention::Observer* watch = nullptr);
  TranslationStepper(const models::EncoderDecoder& model, const models::Source& source,
                     attention::Observer* watch = nullptr)
      : TranslationStepper(Models{&model}, source, watch) {}
  // Decoders, each with what it has read of the same sources of these lengths [B], whatever encoder
  // made them.
  struct Reader {
    const models::Decoder* decoder;
    models::Encoded encoded;
  };
  TranslationStepper(std::vector<Reader> readers, const Ids& lengths);

  std::int64_t rows() const override { return static_cast<std::int64_t>(sentences_.size()); }
  Tensor step(const Ids& tokens, attention::Observer* watch) override;
  void reorder(const Ids& rows) override;
  Ids source_lengths() const override;
  std::int64_t longest() const override;

  // How often encoded sources were copied for other rows.
  std::int64_t source_copies() const { return source_copies_; }

 private:
  static std::vector<Reader> read(const Models& models, const models::Source& source,
                                  attention::Observer* watch);

  struct Voter {
    const models::Decoder* decoder;
    models::Encoded encoded;
    models::DecoderState state;
  };

  std::vector<Voter> voters_;
  PackedWeights weights_;                // of the decoders: the same at every step
  std::vector<std::int32_t> lengths_;    // of each sentence's source
  std::vector<std::int32_t> sentences_;  // of each row
  std::int64_t source_copies_ = 0;
};

}  // namespace heed::decoding

#pragma GCC visibility pop
