// SPDX-License-Identifier: Apache-2.0
// The encoder-decoder of recurrent networks, sequence to sequence: an encoder of one or two
// directions, and the decoder of recurrent_decoder.h with any mechanism over its states.
#pragma once  // public header

#include <string>

#include "heed/models/encoder_decoder.h"
#include "heed/models/recurrent_decoder.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct Seq2SeqOptions {
  std::int64_t source_vocabulary = 0;
  std::int64_t target_vocabulary = 0;
  nn::Cell cell = nn::Cell::lstm;
  std::int64_t embedding = 256;
  std::int64_t hidden = 512;        // units of each decoder layer
  std::int64_t encoder_hidden = 0;  // units of each encoder layer and direction; 0: as hidden
  int encoder_layers = 1;
  int decoder_layers = 1;
  bool bidirectional = true;
  // The mechanism in its written form, or "none". Padding is hidden whatever it says.
  std::string attention = "additive";
  Arrangement arrangement = Arrangement::bahdanau;
  bool input_feeding = false;  // luong: the attentional vector is part of the next input
  Fixed fixed = Fixed::initial;
  Tie tie = Tie::none;
  Real dropout = 0;             // of embeddings, between layers, and before the output
  Real attention_dropout = 0;   // of weights
  bool locked_dropout = false;  // one mask for all steps of a sequence (Gal 2016)
  bool copies = false;          // words of the source may be copied (See 2017)
  bool documents = false;       // the encoder reads the sentences before (Miculicich 2018)
  // luong: words are foreseen from one state of the encoder at a time and mixed by the weights.
  bool mixture = false;
};

class Seq2Seq final : public EncoderDecoder {
 public:
  // UsageError that says what would be right for options that do not fit each other.
  Seq2Seq(const Seq2SeqOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor) override;
  Encoded encode(const Source& source, const Call& call) const override;
  const Decoder& decoder() const override { return decoder_; }

 private:
  EncoderStates read_source(const Sequences& source, const Call& call) const;

  Seq2SeqOptions options_;
  nn::Dropout dropout_;
  nn::Embedding source_;
  nn::RecurrentNetwork encoder_;
  RecurrentDecoder decoder_;
  attention::HierarchicalAttention before_;
};

}  // namespace heed::models

#pragma GCC visibility pop
