// SPDX-License-Identifier: Apache-2.0
// The options of a translator's model, as command lines and config files name them, and the model
// they ask for.
#pragma once

#include <memory>
#include <string>

#include "heed/base/options.h"
#include "heed/base/random.h"
#include "heed/models/seq2seq.h"
#include "heed/models/transformer.h"
#include "heed/pipeline/transformer_options.h"

namespace heed::pipeline {

enum class EncoderDecoderKind { seq2seq, transformer };
// Which side of a translator reads the sentences before.
enum class ContextSide { source, target, both };

// What a translator is given of its lines besides their tokens.
struct Reading {
  bool copies = false;           // source words, to be copied
  std::int64_t context = 0;      // sentences before each of its document
  bool written_context = false;  // their translations too

  bool operator==(const Reading&) const = default;
};

struct ModelOptions : StackOptions {
  EncoderDecoderKind model = EncoderDecoderKind::transformer;
  // The written form of a mechanism; empty: the model's own. The three others are the Transformer's
  // and go before it.
  std::string attention;
  std::string encoder_attention, decoder_attention, cross_attention;
  int encoder_layers = 3;
  int decoder_layers = 3;
  double dropout = .1;
  double attention_dropout = 0;
  bool locked_dropout = false;
  models::Tie tie = models::Tie::target;
  // seq2seq
  nn::Cell cell = nn::Cell::gru;
  std::int64_t embedding = 256;
  std::int64_t hidden = 512;
  std::int64_t encoder_hidden = 0;
  bool bidirectional = true;
  models::Arrangement arrangement = models::Arrangement::bahdanau;
  bool input_feeding = true;
  models::Fixed fixed = models::Fixed::initial;
  // Copying
  bool copy = false;
  int copy_layer = -1;
  int copy_head = -1;
  // Documents
  bool documents = false;
  std::int64_t context_sentences = 1;
  ContextSide context_side = ContextSide::source;

  Reading reading() const;
  // UsageError for options that do not fit each other.
  void check() const;
  void declare(Options& options);
};

struct VocabularySizes {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

std::unique_ptr<models::EncoderDecoder> make_model(const ModelOptions& options,
                                                   const VocabularySizes& vocabulary,
                                                   Random& random);

}  // namespace heed::pipeline
