// SPDX-License-Identifier: Apache-2.0
// Names of a model's options, and the model made from them.
#include "heed/pipeline/translate/model_options.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/models/seq2seq.h"
#include "heed/models/transformer.h"

namespace heed::pipeline {
namespace {

std::string first_of(const std::string& wish, const std::string& otherwise) {
  return wish.empty() ? otherwise : wish;
}

models::TransformerOptions transformer_options(const ModelOptions& options,
                                               const VocabularySizes& vocabulary) {
  const std::string attention = first_of(options.attention, "scaled_dot");
  return {.source_vocabulary = vocabulary.source,
          .target_vocabulary = vocabulary.target,
          .width = options.width,
          .heads = options.heads,
          .key_heads = options.key_heads,
          .inner = options.inner,
          .encoder_layers = options.encoder_layers,
          .decoder_layers = options.decoder_layers,
          .activation = options.activation,
          .norm = options.norm,
          .positions = options.positions,
          .longest = options.longest,
          .tie = options.tie,
          .encoder_attention = first_of(options.encoder_attention, attention),
          .decoder_attention = first_of(options.decoder_attention, attention),
          .cross_attention = first_of(options.cross_attention, attention),
          .dropout = static_cast<Real>(options.dropout),
          .attention_dropout = static_cast<Real>(options.attention_dropout),
          .inner_dropout = static_cast<Real>(options.inner_dropout),
          .locked_dropout = options.locked_dropout,
          .copies = options.copy,
          .copy_layer = options.copy_layer,
          .copy_head = options.copy_head,
          .source_context = options.documents && options.context_side != ContextSide::target,
          .target_context = options.documents && options.context_side != ContextSide::source};
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
      .attention = first_of(options.attention, "additive"),
      .arrangement = options.arrangement,
      .input_feeding = options.input_feeding && options.arrangement == models::Arrangement::luong,
      .fixed = options.fixed,
      .tie = options.tie,
      .dropout = static_cast<Real>(options.dropout),
      .attention_dropout = static_cast<Real>(options.attention_dropout),
      .locked_dropout = options.locked_dropout,
      .copies = options.copy,
      .documents = options.documents};
}

std::string seq2seq_attention(const ModelOptions& options) {
  return first_of(options.attention, "additive");
}

std::string transformer_attention(const ModelOptions& options) {
  const std::string all = first_of(options.attention, "scaled_dot");
  return fmt::format(
      "encoder `{}`, decoder `{}`, cross `{}`", first_of(options.encoder_attention, all),
      first_of(options.decoder_attention, all), first_of(options.cross_attention, all));
}

std::unique_ptr<models::EncoderDecoder> make_seq2seq(const ModelOptions& options,
                                                     const VocabularySizes& vocabulary,
                                                     Random& random) {
  return std::make_unique<models::Seq2Seq>(seq2seq_options(options, vocabulary), random);
}

std::unique_ptr<models::EncoderDecoder> make_transformer(const ModelOptions& options,
                                                         const VocabularySizes& vocabulary,
                                                         Random& random) {
  return std::make_unique<models::Transformer>(transformer_options(options, vocabulary), random);
}

std::vector<std::string> encoder_decoder_names() {
  std::vector<std::string> names;
  for (const EncoderDecoderCard& card : encoder_decoders()) names.push_back(card.name);
  return names;
}

}  // namespace

const std::vector<EncoderDecoderCard>& encoder_decoders() {
  static const std::vector<EncoderDecoderCard> cards = {
      {.name = "seq2seq",
       .description = "recurrent encoder and decoder (seq2seq)",
       .one_attention = true,
       .has_positions = false,
       .attention = seq2seq_attention,
       .make = make_seq2seq},
      {.name = "transformer",
       .description = "Transformer",
       .one_attention = false,
       .has_positions = true,
       .attention = transformer_attention,
       .make = make_transformer}};
  return cards;
}

const EncoderDecoderCard& ModelOptions::card() const {
  return encoder_decoders().at(static_cast<std::size_t>(model));
}

Reading ModelOptions::reading() const {
  return {.copies = copy,
          .context = documents ? context_sentences : 0,
          .written_context = documents && context_side != ContextSide::source};
}

void ModelOptions::check() const {
  const EncoderDecoderCard& kind = card();
  if (attention == "none" && (copy || documents)) {
    throw UsageError("--{}: takes attention, and --attention is none; name a mechanism",
                     copy ? "copy" : "documents");
  }
  if (copy_layer >= 0 || copy_head >= 0) {
    const char* const which = copy_layer >= 0 ? "copy-layer" : "copy-head";
    if (!copy) {
      throw UsageError("--{}: it chooses the attention that copies; give --copy as well", which);
    }
    if (kind.one_attention) {
      throw UsageError(
          "--{}: a {} has one attention, and that copies; leave it out, or take --model "
          "transformer",
          which, kind.name);
    }
  }
  if (kind.one_attention && documents && context_side != ContextSide::source) {
    throw UsageError(
        "--context-side: a {} reads the source sentences before; give source, or --model "
        "transformer for the others",
        kind.name);
  }
}

void ModelOptions::declare(Options& options) {
  options.add("model", model, encoder_decoder_names(),
              "recurrent networks with attention between them, or the Transformer");
  options.add("attention", attention,
              "the mechanism in its written form, such as \"additive | full | "
              "entmax(alpha=1.5)\"; none: a seq2seq without attention; empty: the model's own");
  options.add("encoder-attention", encoder_attention,
              "Transformer: the encoder's own attention; empty: as --attention");
  options.add("decoder-attention", decoder_attention,
              "Transformer: the decoder's own attention; empty: as --attention");
  options.add("cross-attention", cross_attention,
              "Transformer: the decoder's attention over the source; empty: as --attention");
  options.add("encoder-layers", encoder_layers, "layers of the encoder").range(1, 1000);
  options.add("decoder-layers", decoder_layers, "layers of the decoder").range(1, 1000);
  options.add("dropout", dropout, "share of units dropped in training").at_least(0).below(1);
  options.add("attention-dropout", attention_dropout, "share of attention weights dropped")
      .at_least(0)
      .below(1);
  options.add("locked-dropout", locked_dropout, "one dropout mask for all steps of a sequence");
  options.add("tie", tie, {"none", "target", "all"},
              "embeddings that are one table: none, the target's and the output's, or all three "
              "(all takes --shared-vocabulary)");
  declare_stack(options);
  options.add("cell", cell, nn::cell_names(), "seq2seq: the cell of both networks");
  options.add("embedding", embedding, "seq2seq: features of a word").range(1, 65536);
  options.add("hidden", hidden, "seq2seq: units of a decoder layer").range(1, 65536);
  options
      .add("encoder-hidden", encoder_hidden,
           "seq2seq: units of an encoder layer and direction; 0: as --hidden")
      .range(0, 65536);
  options.add("bidirectional", bidirectional, "seq2seq: the encoder reads both ways");
  options.add("arrangement", arrangement, {"bahdanau", "luong"},
              "seq2seq: attend before the decoder's step (Bahdanau 2015) or after it (Luong 2015)");
  options.add("input-feeding", input_feeding,
              "seq2seq, luong: what was attended to is part of the next input");
  options.add("fixed", fixed, {"initial", "every_step"},
              "seq2seq without attention: the source's vector starts the decoder, or is read at "
              "every step");
  options.add("copy", copy,
              "words of the source may be copied, those out of vocabulary included; takes "
              "--tokeniser words, or --shared-vocabulary");
  options
      .add("copy-layer", copy_layer,
           "Transformer: the decoder layer whose attention copies; -1: the last")
      .range(-1, 1000);
  options.add("copy-head", copy_head, "Transformer: its head that copies; -1: the mean of all")
      .range(-1, 65536);
  options.add("documents", documents,
              "an empty line on both sides separates documents; each sentence is read with those "
              "before it in its document");
  options
      .add("context-sentences", context_sentences, "documents: at most this many sentences before")
      .range(1, 1000);
  options.add("context-side", context_side, {"source", "target", "both"},
              "documents: the side that reads them; a target's are the model's own translations");
}

std::unique_ptr<models::EncoderDecoder> make_model(const ModelOptions& options,
                                                   const VocabularySizes& vocabulary,
                                                   Random& random) {
  return options.card().make(options, vocabulary, random);
}

}  // namespace heed::pipeline
