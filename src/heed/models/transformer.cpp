// SPDX-License-Identifier: Apache-2.0
// Two stacks of layers, one over the source and one over the target so far, which reads the source
// as well (Vaswani 2017, figure 1).
#include "heed/models/transformer.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
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
  stack.site = "encoder self";
  return stack;
}

TransformerStackOptions decoder_options(const TransformerOptions& options) {
  TransformerStackOptions stack = stack_options(options);
  stack.layers = options.decoder_layers;
  stack.causal = true;
  stack.cross = true;
  stack.attention = options.decoder_attention;
  stack.cross_attention = options.cross_attention;
  stack.site = "decoder self";
  return stack;
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
}

std::int64_t Transformer::longest() const {
  return encoder_.longest();
}

Encoded Transformer::encode(const Sequences& source, const Call& call) const {
  check_sequences("transformer", source, longest());
  const Variable x =
      encoder_(encoder_.embed(source_, source.ids, 0, call), {.lengths = source.lengths}, call);
  return {.memories = decoder_.sources(x, source.lengths), .lengths = source.lengths};
}

Variable Transformer::logits(const Variable& hidden) const {
  return linear(hidden, options_.tie == Tie::none ? output_ : target_.weight, output_bias_);
}

Variable Transformer::decode(const Encoded& encoded, const Sequences& target,
                             const Call& call) const {
  check_sequences("transformer", target, longest());
  const Variable x = decoder_(decoder_.embed(target_, shifted(target.ids), 0, call),
                              {.sources = encoded.memories}, call);
  return logits(embedding(reshape(x, {-1, options_.width}), token_places(target)));
}

DecoderState Transformer::start(const Encoded&) const {
  DecoderState state;
  state.history.resize(decoder_.size());
  state.attentions.resize(2 * decoder_.size());  // of each layer its own, then over the source
  return state;
}

Step Transformer::step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
                       const Call& call) const {
  DecoderState next = state;
  std::vector<LayerPast> pasts;
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    pasts.push_back({std::move(next.history[i]), std::move(next.attentions[2 * i]),
                     std::move(next.attentions[2 * i + 1])});
  }
  const Variable x =
      decoder_(decoder_.embed(target_, tokens.reshape({tokens.size(), 1}), state.step, call),
               {.sources = encoded.memories, .pasts = pasts}, call);
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    next.history[i] = std::move(pasts[i].history);
    next.attentions[2 * i] = std::move(pasts[i].self);
    next.attentions[2 * i + 1] = std::move(pasts[i].cross);
  }
  ++next.step;
  return {logits(reshape(x, {tokens.size(), options_.width})), std::move(next)};
}

}  // namespace heed::models
