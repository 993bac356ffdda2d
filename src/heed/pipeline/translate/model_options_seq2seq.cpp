// SPDX-License-Identifier: Apache-2.0
// The recurrent encoder-decoder as a translator's model: its own options, and the model they make.
#include "heed/models/seq2seq.h"
#include "heed/pipeline/translate/model_options.h"

namespace heed::pipeline {
namespace {

void declare(ModelOptions& mine, Options& options) {
  options.section("Recurrent encoder and decoder (seq2seq)");
  options.add("cell", mine.cell, nn::cell_names(), "seq2seq: the cell of both networks");
  options.add("embedding", mine.embedding, "seq2seq: features of a word").range(1, 65536);
  options.add("hidden", mine.hidden, "seq2seq: units of a decoder layer").range(1, 65536);
  options
      .add("encoder-hidden", mine.encoder_hidden,
           "seq2seq: units of an encoder layer and direction; 0: as --hidden")
      .range(0, 65536);
  options.add("bidirectional", mine.bidirectional, "seq2seq: the encoder reads both ways");
  options.add("arrangement", mine.arrangement, models::arrangement_names(),
              "seq2seq: attend before the decoder's step (Bahdanau 2015) or after it (Luong 2015)");
  options.add("input-feeding", mine.input_feeding,
              "seq2seq, luong: what was attended to is part of the next input");
  options.add("mixture", mine.mixture,
              "seq2seq, luong: hard attention summed over, not drawn from: words are foreseen from "
              "one source word at a time and mixed by the weights; entmax keeps it cheap");
  options.add("fixed", mine.fixed, models::fixed_names(),
              "seq2seq without attention: the source's vector starts the decoder, or is read at "
              "every step");
}

std::string attention(const ModelOptions& options) {
  return mechanism_or(options.attention, "additive");
}

models::Seq2SeqOptions seq2seq_options(const ModelOptions& options,
                                       const VocabularySizes& vocabulary) {
  return {
      .source_vocabulary = vocabulary.source,
      .target_vocabulary = vocabulary.target,
      .cell = options.cell,
      .embedding = options.embedding,
      .hidden = options.hidden,
      .encoder_hidden = options.encoder_hidden,
      .encoder_layers = options.encoder_layers,
      .decoder_layers = options.decoder_layers,
      .bidirectional = options.bidirectional,
      .attention = attention(options),
      .arrangement = options.arrangement,
      .input_feeding = options.input_feeding && options.arrangement == models::Arrangement::luong,
      .fixed = options.fixed,
      .tie = options.tie,
      .dropout = static_cast<Real>(options.stack.dropout),
      .attention_dropout = static_cast<Real>(options.stack.attention_dropout),
      .locked_dropout = options.stack.locked_dropout,
      .copies = options.copy,
      .documents = options.documents,
      .mixture = options.mixture};
}

std::unique_ptr<models::EncoderDecoder> make(const ModelOptions& options,
                                             const VocabularySizes& vocabulary, Random& random) {
  return std::make_unique<models::Seq2Seq>(seq2seq_options(options, vocabulary), random);
}

const ListedEncoderDecoder kListed({.name = "seq2seq",
                                    .description = "recurrent encoder and decoder (seq2seq)",
                                    .one_attention = true,
                                    .has_positions = false,
                                    .declare = declare,
                                    .attention = attention,
                                    .make = make});

}  // namespace
}  // namespace heed::pipeline
