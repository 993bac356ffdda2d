// SPDX-License-Identifier: Apache-2.0
// The options of a translator's model, as command lines and config files name them, and the model
// they ask for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/base/random.h"
#include "heed/models/encoder_decoder.h"
#include "heed/models/recurrent_decoder.h"
#include "heed/models/transformer_stack_options.h"
#include "heed/pipeline/translate/reading.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct EncoderDecoderCard;
// Which side of a translator reads the sentences before.
enum class ContextSide { source, target, both };

struct ModelOptions {
  std::string model = "transformer";  // of encoder_decoders()
  // The written form of a mechanism; empty: the model's own. The three others are the Transformer's
  // and go before it.
  std::string attention;
  std::string encoder_attention, decoder_attention, cross_attention;
  int encoder_layers = 3;
  int decoder_layers = 3;
  // The Transformer's, and the dropout of every model.
  models::TransformerStackOptions stack;
  models::Tie tie = models::Tie::target;
  // seq2seq
  nn::Cell cell = nn::Cell::gru;
  std::int64_t embedding = 256;
  std::int64_t hidden = 512;
  std::int64_t encoder_hidden = 0;
  bool bidirectional = true;
  models::Arrangement arrangement = models::Arrangement::bahdanau;
  bool input_feeding = true;
  bool mixture = false;
  models::Fixed fixed = models::Fixed::initial;
  // Copying
  bool copy = false;
  int copy_layer = -1;
  int copy_head = -1;
  // Documents
  bool documents = false;
  std::int64_t context_sentences = 1;
  ContextSide context_side = ContextSide::source;

  // Of `model`; UsageError naming the nearest when there is none.
  const EncoderDecoderCard& card() const;
  Reading reading() const;
  // UsageError for options that do not fit each other.
  void check() const;
  void declare(Options& options);
};

// What a translator can be made of. An encoder-decoder is listed by a file of its own,
// model_options_NAME.cpp, which also declares the options that only it reads; no other file names
// it:
//
//   const ListedEncoderDecoder kListed({.name = "seq2seq", .declare = declare, .make = make, ...});
struct EncoderDecoderCard {
  std::string name;         // as --model says it
  std::string description;  // for model cards
  bool one_attention;       // over the source and nothing else: no layer of it can be chosen
  bool has_positions;       // whether --positions is of it
  void (*declare)(ModelOptions& mine, Options& options);
  std::string (*attention)(const ModelOptions& options);  // its mechanisms, for model cards
  std::unique_ptr<models::EncoderDecoder> (*make)(const ModelOptions& options,
                                                  const VocabularySizes& vocabulary,
                                                  Random& random);
};
// By name.
const std::vector<EncoderDecoderCard>& encoder_decoders();
// The mechanism that was written, or the other where none was.
std::string mechanism_or(const std::string& written, const std::string& otherwise);

struct ListedEncoderDecoder {
  explicit ListedEncoderDecoder(EncoderDecoderCard card);
};

std::unique_ptr<models::EncoderDecoder> make_model(const ModelOptions& options,
                                                   const VocabularySizes& vocabulary,
                                                   Random& random);

}  // namespace heed::pipeline

#pragma GCC visibility pop
