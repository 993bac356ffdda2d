// SPDX-License-Identifier: Apache-2.0
// Two stacks of layers, one over the source and one over the target so far, which reads the source
// as well (Vaswani 2017, figure 1).
#include "heed/models/transformer.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/context_sites.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

void check(const TransformerOptions& options) {
  if (options.source_vocabulary < 1 || options.target_vocabulary < 1) {
    throw UsageError("transformer: vocabularies of {} and {}; both take 1 or more",
                     options.source_vocabulary, options.target_vocabulary);
  }
  if (options.tie == Tie::all && options.source_vocabulary != options.target_vocabulary) {
    throw UsageError(
        "transformer: all embeddings are to be one, but the vocabularies have {} and {} pieces; "
        "share one vocabulary, or tie the target's only",
        options.source_vocabulary, options.target_vocabulary);
  }
  if (options.copies && (options.copy_layer < -1 || options.copy_layer >= options.decoder_layers ||
                         options.copy_head < -1 || options.copy_head >= options.heads)) {
    throw UsageError(
        "transformer: it is to copy with layer {}, head {}; there are layers 0 to {} and heads 0 "
        "to {} (-1: the last layer, the mean of the heads)",
        options.copy_layer, options.copy_head, options.decoder_layers - 1, options.heads - 1);
  }
}

// What both stacks have in common.
TransformerStackOptions stack_options(const TransformerOptions& options) {
  return {.width = options.width,
          .heads = options.heads,
          .key_heads = options.key_heads,
          .inner = options.inner,
          .activation = options.activation,
          .norm = options.norm,
          .positions = options.positions,
          .longest = options.longest,
          .dropout = options.dropout,
          .attention_dropout = options.attention_dropout,
          .inner_dropout = options.inner_dropout,
          .locked_dropout = options.locked_dropout};
}

TransformerStackOptions encoder_options(const TransformerOptions& options) {
  TransformerStackOptions stack = stack_options(options);
  stack.layers = options.encoder_layers;
  stack.attention = options.encoder_attention;
  return stack;
}

TransformerStackOptions decoder_options(const TransformerOptions& options) {
  TransformerStackOptions stack = stack_options(options);
  stack.layers = options.decoder_layers;
  stack.causal = true;
  stack.cross = true;
  stack.attention = options.decoder_attention;
  stack.cross_attention = options.cross_attention;
  stack.site = {.role = attention::Role::self,
                .set = "decoder self",
                .queries = "target",
                .keys = "target read",
                .stepwise = true};
  return stack;
}

// What the decoder has read before each token of a target.
Sequences read_before(const Sequences& target) {
  return {shifted(target.ids), target.lengths};
}

}  // namespace

Transformer::Transformer(const TransformerOptions& options, Random& random) : options_(options) {
  check(options_);
  source_ = nn::Embedding(options_.source_vocabulary, options_.width, random, text::kPadding);
  target_ = options_.tie == Tie::all
                ? source_
                : nn::Embedding(options_.target_vocabulary, options_.width, random, text::kPadding);
  encoder_ = TransformerStack(encoder_options(options_), random);
  decoder_ = TransformerStack(decoder_options(options_), random);
  if (options_.tie == Tie::none) {
    output_ =
        nn::parameter(nn::glorot_uniform({options_.target_vocabulary, options_.width}, random));
  }
  output_bias_ = nn::parameter(Tensor::zeros({options_.target_vocabulary}));
  if (options_.copy_layer == -1) options_.copy_layer = options_.decoder_layers - 1;
  if (options_.copies) copying_ = PointerGenerator(3 * options_.width, random);
  const attention::HierarchicalOptions context{.width = options_.width, .heads = options_.heads};
  if (options_.source_context) source_before_ = attention::HierarchicalAttention(context, random);
  if (options_.target_context) target_before_ = attention::HierarchicalAttention(context, random);
}

void Transformer::visit(nn::ParameterVisitor& visitor) {
  visitor("source.embedding", source_);
  visitor("source.positions", encoder_.positions());
  visitor("target.embedding", target_);
  visitor("target.positions", decoder_.positions());
  visitor("encoder", encoder_.layers());
  visitor("decoder", decoder_.layers());
  visitor("encoder_norm", encoder_.last_norm());
  visitor("decoder_norm", decoder_.last_norm());
  visitor("output", output_);
  visitor("output_bias", output_bias_);
  if (copying_.defined()) visitor("copying", copying_);
  if (source_before_.defined()) visitor("source_before", source_before_);
  if (target_before_.defined()) visitor("target_before", target_before_);
}

std::int64_t Transformer::longest() const {
  return encoder_.longest();
}

Variable Transformer::encode_plainly(const Sequences& source, const Call& call) const {
  check_sequences("transformer", source, longest());
  return encoder_(encoder_.embed(source_, source.ids, 0, call), {.lengths = source.lengths}, call);
}

// The sentences before are read as they would be alone: what stands before them in turn is left
// out.
Encoded Transformer::encode(const Source& source, const Call& call) const {
  const Ids& lengths = source.sentences.lengths;
  Variable x = encode_plainly(source.sentences, call);
  TransformerSource encoded;
  if (copying_.defined()) {
    encoded.copies = copy_source("transformer", source, options_.target_vocabulary);
  }
  const Context& before = source.before;
  if (before.rows.defined() && (source_before_.defined() || target_before_.defined())) {
    const Call untraced{.noise = call.noise};
    const Variable past = encode_plainly(before.source, untraced);
    if (source_before_.defined()) {
      x = source_before_(x, source_before_.memory(past, before.source.lengths, before.rows),
                         source_context(options_.encoder_layers - 1, call));
    }
    if (target_before_.defined()) {
      check_sequences("transformer", before.target, longest());
      const TransformerSource alone{.memories = decoder_.sources(past, before.source.lengths)};
      const Variable written =
          read_target(alone, read_before(before.target), 0, {}, untraced).hidden;
      encoded.before = target_before_.memory(written, before.target.lengths, before.rows);
    }
  }
  encoded.memories = decoder_.sources(x, lengths);
  return encoded;
}

Variable Transformer::logits(const Variable& hidden) const {
  return linear(hidden, options_.tie == Tie::none ? output_ : target_.weight, output_bias_);
}

Transformer::Read Transformer::read_target(const TransformerSource& source, const Sequences& before,
                                           std::int64_t first, std::span<LayerPast> pasts,
                                           const Call& call) const {
  const Ids known = known_ids(before.ids, options_.target_vocabulary);
  Read read{.words = decoder_.embed(target_, known, first, call), .hidden = {}};
  read.look.layer = options_.copy_layer;
  read.hidden = decoder_(read.words,
                         {.lengths = before.lengths,
                          .sources = source.memories,
                          .pasts = pasts,
                          .look = copying_.defined() ? &read.look : nullptr},
                         call);
  if (target_before_.defined()) {
    read.hidden = target_before_(read.hidden, source.before,
                                 target_context(options_.decoder_layers - 1, call));
  }
  return read;
}

Variable Transformer::copying_weights(const CrossLook& look) const {
  return options_.copy_head < 0 ? mean(look.weights, 1)
                                : select(look.weights, 1, options_.copy_head);
}

Decoded Transformer::decode(const Encoded& encoded, const Sequences& target,
                            const Call& call) const {
  check_sequences("transformer", target, longest());
  const auto& source = encoded.as<TransformerSource>();
  const Read read = read_target(source, read_before(target), 0, {}, call);
  const Ids places = token_places(target);
  const auto at_tokens = [&](const Variable& x) {
    return embedding(reshape(x, {-1, x.size(-1)}), places);
  };
  const Variable hidden = at_tokens(read.hidden);
  if (!copying_.defined()) return {.logits = logits(hidden)};
  const Variable weights = copying_weights(read.look);
  const Variable features =
      concat({at_tokens(read.look.context), hidden, at_tokens(read.words)}, -1);
  if (call.watch != nullptr) {
    copying_.show({.features = features,
                   .places = places,
                   .weights = read.look.masked,
                   .layer = options_.copy_layer,
                   .head = options_.copy_head},
                  *call.watch);
  }
  return {.logits = copying_({.logits = logits(hidden),
                              .features = features,
                              .weights = at_tokens(weights),
                              .sources = token_rows(target)},
                             source.copies),
          .copying = weights};
}

DecoderState Transformer::start(const Encoded&) const {
  return {.own = StackState{std::vector<LayerPast>(decoder_.size())}};
}

Step Transformer::step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
                       const Call& call) const {
  const auto& source = encoded.as<TransformerSource>();
  DecoderState next = state;
  const std::int64_t rows = tokens.size();
  const Read read = read_target(source, {tokens.reshape({rows, 1}), {}}, state.step,
                                next.own.as<StackState>().layers, call);
  ++next.step;
  const auto flat = [rows](const Variable& x) { return reshape(x, {rows, x.size(-1)}); };
  Variable found = logits(flat(read.hidden));
  if (copying_.defined()) {
    const Variable features =
        concat({flat(read.look.context), flat(read.hidden), flat(read.words)}, -1);
    if (call.watch != nullptr) {
      copying_.show({.features = features,
                     .places = counted_rows(rows),
                     .weights = read.look.masked,
                     .layer = options_.copy_layer,
                     .head = options_.copy_head},
                    *call.watch);
    }
    found = copying_({.logits = found,
                      .features = features,
                      .weights = flat(copying_weights(read.look)),
                      .sources = counted_rows(rows)},
                     source.copies);
  }
  return {found, std::move(next)};
}

}  // namespace heed::models
