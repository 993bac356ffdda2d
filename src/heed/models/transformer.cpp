// SPDX-License-Identifier: Apache-2.0
// A stack of layers over the source, and a decoder that reads it (Vaswani 2017, figure 1).
#include "heed/models/transformer.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/context_sites.h"

namespace heed::models {
namespace {

void check(const TransformerOptions& options) {
  if (options.source_vocabulary < 1 || options.target_vocabulary < 1) {
    throw UsageError("transformer: vocabularies of {} and {}; both take 1 or more",
                     options.source_vocabulary, options.target_vocabulary);
  }
  if (ties_inputs(options.tie) && options.source_vocabulary != options.target_vocabulary) {
    throw UsageError(
        "transformer: all embeddings are to be one, but the vocabularies have {} and {} pieces; "
        "share one vocabulary, or tie the target's only",
        options.source_vocabulary, options.target_vocabulary);
  }
}

TransformerStackOptions encoder_options(const TransformerOptions& options) {
  TransformerStackOptions stack = options.stack;
  stack.layers = options.encoder_layers;
  stack.attention = options.encoder_attention;
  return stack;
}

TransformerDecoderOptions decoder_options(const TransformerOptions& options) {
  TransformerStackOptions stack = options.stack;
  stack.layers = options.decoder_layers;
  stack.attention = options.decoder_attention;
  return {.vocabulary = options.target_vocabulary,
          .stack = stack,
          .tied = ties_output(options.tie),
          .copies = options.copies,
          .copy_layer = options.copy_layer,
          .copy_head = options.copy_head};
}

constexpr TransformerDecoder::Names kTarget{.words = "target.embedding",
                                            .positions = "target.positions",
                                            .layers = "decoder",
                                            .norm = "decoder_norm"};

}  // namespace

Transformer::Transformer(const TransformerOptions& options, Random& random) : options_(options) {
  check(options_);
  source_ = nn::Embedding(options_.source_vocabulary, options_.stack.width, random, text::kPadding);
  const nn::Embedding target =
      ties_inputs(options_.tie)
          ? source_
          : nn::Embedding(options_.target_vocabulary, options_.stack.width, random, text::kPadding);
  encoder_ = TransformerStack(encoder_options(options_), random);
  decoder_ = TransformerDecoder(decoder_options(options_), target, random);
  if (options_.source_context) {
    source_before_ = attention::HierarchicalAttention(
        {.width = options_.stack.width, .heads = options_.stack.heads}, random);
  }
  if (options_.target_context) decoder_.read_sentences_before(random);
}

void Transformer::visit(nn::ParameterVisitor& visitor) {
  visitor("source.embedding", source_);
  visitor("source.positions", encoder_.positions());
  struct Embeddings {
    TransformerStack& stack;
    void visit(nn::ParameterVisitor& inner) { stack.visit_embeddings(inner); }
  } source{encoder_};
  visitor("source", source);
  decoder_.visit_words(visitor, kTarget);
  visitor("encoder", encoder_.layers());
  decoder_.visit_layers(visitor, kTarget);
  visitor("encoder_norm", encoder_.last_norm());
  decoder_.visit_norm(visitor, kTarget);
  decoder_.visit_output(visitor);
  if (source_before_.defined()) visitor("source_before", source_before_);
  decoder_.visit_context(visitor, "target_before");
}

std::int64_t Transformer::longest() const {
  return encoder_.longest();
}

EncoderStates Transformer::encode_plainly(const Sequences& source, const Call& call) const {
  check_sequences("transformer", source, longest());
  return {.states = encoder_(encoder_.embed(source_, source.ids, 0, call),
                             {.lengths = source.lengths}, call),
          .lengths = source.lengths};
}

// The sentences before are read as they would be alone: what is before them in turn is left out.
Encoded Transformer::encode(const Source& source, const Call& call) const {
  EncoderStates read = encode_plainly(source.sentences, call);
  attention::HierarchicalMemory written;
  const Context& before = source.before;
  if (before.rows.defined() && (source_before_.defined() || decoder_.reads_sentences_before())) {
    const Call unwatched{.noise = call.noise};
    const EncoderStates past = encode_plainly(before.source, unwatched);
    if (source_before_.defined()) {
      read.states =
          source_before_(read.states, source_before_.memory(past.states, past.lengths, before.rows),
                         source_context(options_.encoder_layers - 1, call));
    }
    if (decoder_.reads_sentences_before()) {
      written = decoder_.sentences_before(past, before.target, before.rows, unwatched);
    }
  }
  Encoded encoded = decoder_.read(read);
  auto& own = encoded.as<TransformerSource>();
  own.before = std::move(written);
  if (decoder_.copies()) {
    own.copies = copy_source("transformer", source, options_.target_vocabulary);
  }
  return encoded;
}

}  // namespace heed::models
