// SPDX-License-Identifier: Apache-2.0
// A recurrent encoder in front of a recurrent decoder.
#include "heed/models/seq2seq.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/context_sites.h"

namespace heed::models {
namespace {

void check(const Seq2SeqOptions& options) {
  if (options.source_vocabulary < 1 || options.target_vocabulary < 1) {
    throw UsageError("seq2seq: vocabularies of {} and {}; both take 1 or more",
                     options.source_vocabulary, options.target_vocabulary);
  }
  if (options.embedding < 1 || options.hidden < 1 || options.encoder_hidden < 0 ||
      options.encoder_layers < 1 || options.decoder_layers < 1) {
    throw UsageError(
        "seq2seq: embedding {}, hidden {}, {} + {} layers; all take 1 or more (encoder hidden {}: "
        "0 or more)",
        options.embedding, options.hidden, options.encoder_layers, options.decoder_layers,
        options.encoder_hidden);
  }
  if (options.documents && options.attention == "none") {
    throw UsageError(
        "seq2seq: reading the sentences before takes attention; with \"none\" there is nothing to "
        "look with");
  }
  if (ties_inputs(options.tie) && options.source_vocabulary != options.target_vocabulary) {
    throw UsageError(
        "seq2seq: all embeddings are to be one, but the vocabularies have {} and {} pieces; share "
        "one vocabulary, or tie the target's only",
        options.source_vocabulary, options.target_vocabulary);
  }
}

// The encoder attends to nothing; observers that ask for states see what it hands on.
constexpr attention::Site kEncoderStates{.set = "encoder", .queries = "source", .keys = "source"};

RecurrentDecoderOptions decoder_options(const Seq2SeqOptions& options, int directions) {
  return {.name = "seq2seq",
          .vocabulary = options.target_vocabulary,
          .source_width = directions * options.encoder_hidden,
          .source_directions = directions,
          .cell = options.cell,
          .embedding = options.embedding,
          .hidden = options.hidden,
          .layers = options.decoder_layers,
          .attention = options.attention,
          .arrangement = options.arrangement,
          .input_feeding = options.input_feeding,
          .fixed = options.fixed,
          .tied = ties_output(options.tie),
          .dropout = options.dropout,
          .attention_dropout = options.attention_dropout,
          .locked_dropout = options.locked_dropout,
          .copies = options.copies,
          .mixture = options.mixture};
}

}  // namespace

Seq2Seq::Seq2Seq(const Seq2SeqOptions& options, Random& random)
    : options_(options), dropout_{options.dropout} {
  check(options_);
  if (options_.encoder_hidden == 0) options_.encoder_hidden = options_.hidden;
  const std::int64_t width = options_.embedding;
  source_ = nn::Embedding(options_.source_vocabulary, width, random, text::kPadding);
  const nn::Embedding target =
      ties_inputs(options_.tie)
          ? source_
          : nn::Embedding(options_.target_vocabulary, width, random, text::kPadding);
  encoder_ = nn::RecurrentNetwork({.cell = options_.cell,
                                   .inputs = width,
                                   .hidden = options_.encoder_hidden,
                                   .layers = options_.encoder_layers,
                                   .bidirectional = options_.bidirectional,
                                   .dropout = options_.dropout,
                                   .locked = options_.locked_dropout},
                                  random);
  decoder_ = RecurrentDecoder(decoder_options(options_, encoder_.directions), target, random);
  if (options_.documents) {
    before_ = attention::HierarchicalAttention(
        {.width = encoder_.directions * options_.encoder_hidden}, random);
  }
}

void Seq2Seq::visit(nn::ParameterVisitor& visitor) {
  visitor("source", source_);
  decoder_.visit_words(visitor, "target");
  visitor("encoder", encoder_);
  decoder_.visit_rest(visitor);
  if (before_.defined()) visitor("before", before_);
}

EncoderStates Seq2Seq::read_source(const Sequences& source, const Call& call) const {
  check_sequences("seq2seq source", source, longest());
  const Variable embedded = source_(source.ids.transpose());  // [S,B,E]
  const Variable words = options_.locked_dropout ? dropout_.locked(embedded, call.noise)
                                                 : dropout_(embedded, call.noise);
  nn::RecurrentOutput read = encoder_(words, {.lengths = source.lengths, .noise = call.noise});
  return {
      .states = attention::watched_states(call.watch, kEncoderStates, by_sentence(read.outputs)),
      .lengths = source.lengths,
      .last = std::move(read.final)};
}

Encoded Seq2Seq::encode(const Source& source, const Call& call) const {
  EncoderStates read = read_source(source.sentences, call);
  if (before_.defined() && source.before.rows.defined()) {
    const EncoderStates past = read_source(source.before.source, {.noise = call.noise});
    read.states =
        before_(read.states, before_.memory(past.states, past.lengths, source.before.rows),
                source_context(0, call));
  }
  Encoded encoded = decoder_.read(read);
  if (decoder_.copies()) {
    encoded.as<RecurrentSource>().copies =
        copy_source("seq2seq", source, options_.target_vocabulary);
  }
  return encoded;
}

}  // namespace heed::models
