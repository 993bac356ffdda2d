// SPDX-License-Identifier: Apache-2.0
// The Transformer as a translator's model: its own options, and the model they make.
#include <fmt/format.h>

#include "heed/models/transformer.h"
#include "heed/pipeline/translate/model_options.h"

namespace heed::pipeline {
namespace {

void declare(ModelOptions& mine, Options& options) {
  options.section("Transformer");
  options.add("encoder-attention", mine.encoder_attention,
              "Transformer: the encoder's own attention; empty: as --attention");
  options.add("decoder-attention", mine.decoder_attention,
              "Transformer: the decoder's own attention; empty: as --attention");
  options.add("cross-attention", mine.cross_attention,
              "Transformer: the decoder's attention over the source; empty: as --attention");
  options
      .add("copy-layer", mine.copy_layer,
           "Transformer: the decoder layer whose attention copies; -1: the last")
      .range(-1, 1000);
  options.add("copy-head", mine.copy_head, "Transformer: its head that copies; -1: the mean of all")
      .range(-1, 65536);
}

std::string attention(const ModelOptions& options) {
  const std::string all = mechanism_or(options.attention, "scaled_dot");
  return fmt::format(
      "encoder `{}`, decoder `{}`, cross `{}`", mechanism_or(options.encoder_attention, all),
      mechanism_or(options.decoder_attention, all), mechanism_or(options.cross_attention, all));
}

models::TransformerOptions transformer_options(const ModelOptions& options,
                                               const VocabularySizes& vocabulary) {
  const std::string attention = mechanism_or(options.attention, "scaled_dot");
  models::TransformerOptions made{
      .source_vocabulary = vocabulary.source,
      .target_vocabulary = vocabulary.target,
      .stack = options.stack,
      .encoder_layers = options.encoder_layers,
      .decoder_layers = options.decoder_layers,
      .encoder_attention = mechanism_or(options.encoder_attention, attention),
      .decoder_attention = mechanism_or(options.decoder_attention, attention),
      .tie = options.tie,
      .copies = options.copy,
      .copy_layer = options.copy_layer,
      .copy_head = options.copy_head,
      .source_context = options.documents && options.context_side != ContextSide::target,
      .target_context = options.documents && options.context_side != ContextSide::source};
  made.stack.cross_attention = mechanism_or(options.cross_attention, attention);
  return made;
}

std::unique_ptr<models::EncoderDecoder> make(const ModelOptions& options,
                                             const VocabularySizes& vocabulary, Random& random) {
  return std::make_unique<models::Transformer>(transformer_options(options, vocabulary), random);
}

const ListedEncoderDecoder kListed({.name = "transformer",
                                    .description = "Transformer",
                                    .one_attention = false,
                                    .has_positions = true,
                                    .declare = declare,
                                    .attention = attention,
                                    .make = make});

}  // namespace
}  // namespace heed::pipeline
