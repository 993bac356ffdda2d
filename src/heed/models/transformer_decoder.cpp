// SPDX-License-Identifier: Apache-2.0
// A causal stack over the target so far, which reads the source as well, and its output.
#include "heed/models/transformer_decoder.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/context_sites.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

TransformerDecoderOptions completed(TransformerDecoderOptions options) {
  const TransformerStackOptions& stack = options.stack;
  if (options.vocabulary < 1) {
    throw UsageError("{}: a target vocabulary of {}; it takes 1 or more", stack.name,
                     options.vocabulary);
  }
  if (options.copies && (options.copy_layer < -1 || options.copy_layer >= stack.layers ||
                         options.copy_head < -1 || options.copy_head >= stack.heads)) {
    throw UsageError(
        "{}: it is to copy with layer {}, head {}; there are layers 0 to {} and heads 0 to {} (-1: "
        "the last layer, the mean of the heads)",
        stack.name, options.copy_layer, options.copy_head, stack.layers - 1, stack.heads - 1);
  }
  if (options.copy_layer == -1) options.copy_layer = stack.layers - 1;
  options.stack.causal = true;
  options.stack.cross = true;
  options.stack.site = {.role = attention::Role::self,
                        .set = "decoder self",
                        .queries = "target",
                        .keys = "target read",
                        .stepwise = true};
  return options;
}

// What the decoder has read before each token of a target.
Sequences read_before(const Sequences& target) {
  return {shifted(target.ids), target.lengths};
}

}  // namespace

TransformerDecoder::TransformerDecoder(const TransformerDecoderOptions& options, Random& random)
    : TransformerDecoder(
          options, nn::Embedding(options.vocabulary, options.stack.width, random, text::kPadding),
          random) {}

TransformerDecoder::TransformerDecoder(const TransformerDecoderOptions& options,
                                       nn::Embedding words, Random& random)
    : options_(completed(options)), words_(std::move(words)), stack_(options_.stack, random) {
  if (!options_.tied) {
    output_ =
        nn::parameter(nn::glorot_uniform({options_.vocabulary, options_.stack.width}, random));
  }
  output_bias_ = nn::parameter(Tensor::zeros({options_.vocabulary}));
  if (options_.copies) copying_ = PointerGenerator(3 * options_.stack.width, random);
}

void TransformerDecoder::visit_words(nn::ParameterVisitor& visitor, const Names& names) {
  visitor(names.words, words_);
  visitor(names.positions, stack_.positions());
  // Segments and their norm stand beside the words: "target.segments", or "segments".
  const std::string_view words = names.words;
  const std::size_t point = words.rfind('.');
  if (point == words.npos) {
    stack_.visit_embeddings(visitor);
    return;
  }
  struct Embeddings {
    TransformerStack& stack;
    void visit(nn::ParameterVisitor& inner) { stack.visit_embeddings(inner); }
  } beside{stack_};
  visitor(words.substr(0, point), beside);
}

void TransformerDecoder::visit_layers(nn::ParameterVisitor& visitor, const Names& names) {
  visitor(names.layers, stack_.layers());
}

void TransformerDecoder::visit_norm(nn::ParameterVisitor& visitor, const Names& names) {
  visitor(names.norm, stack_.last_norm());
}

void TransformerDecoder::visit_output(nn::ParameterVisitor& visitor) {
  visitor("output", output_);
  visitor("output_bias", output_bias_);
  if (copying_.defined()) visitor("copying", copying_);
}

void TransformerDecoder::visit_context(nn::ParameterVisitor& visitor, const char* name) {
  if (before_.defined()) visitor(name, before_);
}

void TransformerDecoder::visit(nn::ParameterVisitor& visitor) {
  visit_words(visitor, {});
  visit_layers(visitor, {});
  visit_norm(visitor, {});
  visit_output(visitor);
  visit_context(visitor, "before");
}

void TransformerDecoder::read_sentences_before(Random& random) {
  before_ = attention::HierarchicalAttention(
      {.width = options_.stack.width, .heads = options_.stack.heads}, random);
}

Encoded TransformerDecoder::read(const EncoderStates& source) const {
  const std::int64_t width =
      options_.stack.source_width > 0 ? options_.stack.source_width : options_.stack.width;
  if (source.states.rank() != 3 || source.states.size(2) != width) {
    throw UsageError("{}: states {} of an encoder; it takes [B,S,{}]", options_.stack.name,
                     source.states.shape().text(), width);
  }
  return TransformerSource{.memories = stack_.sources(source.states, source.lengths)};
}

attention::HierarchicalMemory TransformerDecoder::sentences_before(const EncoderStates& sources,
                                                                   const Sequences& targets,
                                                                   const Ids& rows,
                                                                   const Call& call) const {
  check_sequences(options_.stack.name.c_str(), targets, longest());
  const TransformerSource alone{.memories = stack_.sources(sources.states, sources.lengths)};
  const Variable written = read_target(alone, read_before(targets), 0, {}, call).hidden;
  return before_.memory(written, targets.lengths, rows);
}

Variable TransformerDecoder::logits(const Variable& hidden) const {
  return linear(hidden, options_.tied ? words_.weight : output_, output_bias_);
}

TransformerDecoder::Read TransformerDecoder::read_target(const TransformerSource& source,
                                                         const Sequences& before,
                                                         std::int64_t first,
                                                         std::span<LayerPast> pasts,
                                                         const Call& call) const {
  const Ids known = known_ids(before.ids, options_.vocabulary);
  Read read{.words = stack_.embed(words_, known, first, call), .hidden = {}};
  read.look.layer = options_.copy_layer;
  read.hidden = stack_(read.words,
                       {.lengths = before.lengths,
                        .sources = source.memories,
                        .pasts = pasts,
                        .look = copying_.defined() ? &read.look : nullptr},
                       call);
  if (before_.defined()) {
    read.hidden =
        before_(read.hidden, source.before, target_context(options_.stack.layers - 1, call));
  }
  return read;
}

Variable TransformerDecoder::copying_weights(const CrossLook& look) const {
  return options_.copy_head < 0 ? mean(look.weights, 1)
                                : select(look.weights, 1, options_.copy_head);
}

Decoded TransformerDecoder::decode(const Encoded& encoded, const Sequences& target,
                                   const Call& call) const {
  check_sequences(options_.stack.name.c_str(), target, longest());
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

DecoderState TransformerDecoder::start(const Encoded&) const {
  return {.own = StackState{std::vector<LayerPast>(stack_.size())}};
}

Step TransformerDecoder::step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
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
