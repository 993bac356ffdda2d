// SPDX-License-Identifier: Apache-2.0
// Encoder layer:  x + self(x), then x + feed(x).
// Decoder layer:  x + self(x so far), then x + cross(x, source), then x + feed(x).
// Each way around a sublayer drops, adds and norms as the options say (Vaswani 2017, section 3.1).
#include "heed/models/transformer.h"

#include <cmath>

#include "heed/attention/spec.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

// The pattern of a mechanism that asks for nothing else.
std::shared_ptr<const attention::Pattern> pattern(const std::string& written) {
  const std::string text = "dot | " + written;
  return attention::make_pattern(attention::parse_spec(text).groups.front().mechanism.pattern,
                                 text);
}

// The mechanism with one more bias in every group of heads.
std::string with_bias(const std::string& mechanism, const std::string& bias) {
  attention::Spec spec = attention::parse_spec(mechanism);
  const attention::PartSpec term =
      attention::parse_spec("dot + " + bias).groups.front().mechanism.terms.back();
  for (attention::HeadsSpec& group : spec.groups) group.mechanism.terms.push_back(term);
  return attention::written(spec);
}

void check(const TransformerOptions& options) {
  if (options.source_vocabulary < 1 || options.target_vocabulary < 1) {
    throw UsageError("transformer: vocabularies of {} and {}; both take 1 or more",
                     options.source_vocabulary, options.target_vocabulary);
  }
  if (options.width < 1 || options.inner < 1 || options.encoder_layers < 1 ||
      options.decoder_layers < 1) {
    throw UsageError("transformer: width {}, inner {}, {} + {} layers; all take 1 or more",
                     options.width, options.inner, options.encoder_layers, options.decoder_layers);
  }
  if (options.heads < 1 || options.width % options.heads != 0) {
    throw UsageError("transformer: width {} does not divide into {} heads", options.width,
                     options.heads);
  }
  if (options.positions == Positions::rotary && options.width / options.heads % 2 != 0) {
    throw UsageError("transformer: rotary positions turn pairs of features; a head has {}",
                     options.width / options.heads);
  }
  if (options.tie == Tie::all && options.source_vocabulary != options.target_vocabulary) {
    throw UsageError(
        "transformer: all embeddings are to be one, but the vocabularies have {} and {} pieces; "
        "share one vocabulary, or tie the target's only",
        options.source_vocabulary, options.target_vocabulary);
  }
}

}  // namespace

void Transformer::EncoderLayer::visit(nn::ParameterVisitor& visitor) {
  visitor("self_norm", self_norm);
  visitor("self", self);
  visitor("feed_norm", feed_norm);
  visitor("feed", feed);
}

void Transformer::DecoderLayer::visit(nn::ParameterVisitor& visitor) {
  visitor("self_norm", self_norm);
  visitor("self", self);
  visitor("cross_norm", cross_norm);
  visitor("cross", cross);
  visitor("feed_norm", feed_norm);
  visitor("feed", feed);
}

Transformer::Input Transformer::make_input(std::int64_t vocabulary, Random& random) const {
  Input input{nn::Embedding(vocabulary, options_.width, random, text::kPadding), {}};
  if (options_.positions == Positions::learned) {
    input.positions.emplace(options_.longest, options_.width, random);
  }
  return input;
}

std::unique_ptr<attention::MultiHead> Transformer::make_attention(Kind kind,
                                                                  const std::string& mechanism,
                                                                  Random& random) const {
  attention::MultiHeadOptions heads{.mechanism = mechanism,
                                    .query_width = options_.width,
                                    .heads = options_.heads,
                                    .key_heads = options_.key_heads};
  // A target position says nothing of the distance to a source position: only a sequence that
  // attends to itself has these.
  if (kind != Kind::cross && options_.positions == Positions::rotary) heads.rotary.emplace();
  if (kind != Kind::cross && options_.positions == Positions::relative) {
    heads.mechanism =
        with_bias(mechanism, kind == Kind::encoder_self ? "relative_buckets"
                                                        : "relative_buckets(bidirectional=false)");
  }
  return std::make_unique<attention::MultiHead>(heads, random);
}

Transformer::Transformer(const TransformerOptions& options, Random& random) : options_(options) {
  check(options_);
  source_ = make_input(options_.source_vocabulary, random);
  target_ = options_.tie == Tie::all ? source_ : make_input(options_.target_vocabulary, random);
  const auto feed = [&] {
    return nn::FeedForward({.width = options_.width,
                            .inner = options_.inner,
                            .activation = options_.activation,
                            .dropout = options_.inner_dropout},
                           random);
  };
  const auto fresh_norm = [&] { return nn::LayerNorm(options_.width); };
  for (int i = 0; i < options_.encoder_layers; ++i) {
    encoder_.push_back(
        {.self_norm = fresh_norm(),
         .feed_norm = fresh_norm(),
         .self = make_attention(Kind::encoder_self, options_.encoder_attention, random),
         .feed = feed()});
  }
  for (int i = 0; i < options_.decoder_layers; ++i) {
    decoder_.push_back(
        {.self_norm = fresh_norm(),
         .cross_norm = fresh_norm(),
         .feed_norm = fresh_norm(),
         .self = make_attention(Kind::decoder_self, options_.decoder_attention, random),
         .cross = make_attention(Kind::cross, options_.cross_attention, random),
         .feed = feed()});
  }
  if (options_.norm == NormPlace::pre) {
    encoder_norm_ = fresh_norm();
    decoder_norm_ = fresh_norm();
  }
  if (options_.tie == Tie::none) {
    output_ =
        nn::parameter(nn::glorot_uniform({options_.target_vocabulary, options_.width}, random));
  }
  output_bias_ = nn::parameter(Tensor::zeros({options_.target_vocabulary}));
  tokens_ = pattern("padding(of=both)");
  past_ = pattern("causal");
  source_tokens_ = pattern("padding");
}

void Transformer::visit(nn::ParameterVisitor& visitor) {
  visitor("source.embedding", source_.embedding);
  if (source_.positions) visitor("source.positions", *source_.positions);
  visitor("target.embedding", target_.embedding);
  if (target_.positions) visitor("target.positions", *target_.positions);
  visitor("encoder", encoder_);
  visitor("decoder", decoder_);
  if (options_.norm == NormPlace::pre) {
    visitor("encoder_norm", encoder_norm_);
    visitor("decoder_norm", decoder_norm_);
  }
  visitor("output", output_);
  visitor("output_bias", output_bias_);
}

std::int64_t Transformer::longest() const {
  return options_.positions == Positions::learned ? options_.longest : 0;
}

Variable Transformer::drop(const Variable& x, const Call& call) const {
  const nn::Dropout dropout{options_.dropout};
  if (!options_.locked_dropout) return dropout(x, call.noise);
  return transpose(dropout.locked(transpose(x, 0, 1), call.noise), 0, 1);
}

// Rows of length about one grow to sqrt(width), so that positions do not drown them (section 3.4).
Variable Transformer::embed(const Input& input, const Ids& ids, std::int64_t first,
                            const Call& call) const {
  Variable x = input.embedding(ids) * std::sqrt(static_cast<Real>(options_.width));
  if (options_.positions == Positions::sinusoidal) {
    x = x + attention::sinusoidal_positions(ids.size(1), options_.width, first);
  } else if (input.positions) {
    x = x + (*input.positions)(ids.size(1), first);
  }
  return drop(x, call);
}

Variable Transformer::attend(const attention::MultiHead& heads, const Variable& query,
                             const attention::Memory& memory, attention::AttentionState& state,
                             attention::AttendOptions options, const Call& call) const {
  options.noise = call.noise;
  options.dropout = call.noise != nullptr ? options_.attention_dropout : 0;
  options.trace = call.trace;
  attention::MultiHeadResult found = heads.attend(query, memory, state, options);
  state = std::move(found.attended.state);
  return found.context;
}

template <typename Sublayer>
Variable Transformer::residual(const nn::LayerNorm& norm, const Variable& x, const Call& call,
                               const Sublayer& sublayer) const {
  if (options_.norm == NormPlace::pre) return x + drop(sublayer(norm(x)), call);
  return norm(x + drop(sublayer(x), call));
}

Encoded Transformer::encode(const Sequences& source, const Call& call) const {
  check_sequences("transformer", source, longest());
  Variable x = embed(source_, source.ids, 0, call);
  for (std::size_t i = 0; i < encoder_.size(); ++i) {
    const EncoderLayer& layer = encoder_[i];
    x = residual(layer.self_norm, x, call, [&](const Variable& h) {
      attention::AttentionState state;
      return attend(*layer.self, h, layer.self->memory(h, h, {.lengths = source.lengths}), state,
                    {.pattern = tokens_, .site = {static_cast<int>(i), "encoder self"}}, call);
    });
    x = residual(layer.feed_norm, x, call,
                 [&](const Variable& h) { return layer.feed(h, call.noise); });
  }
  if (options_.norm == NormPlace::pre) x = encoder_norm_(x);
  Encoded encoded{.lengths = source.lengths};
  for (const DecoderLayer& layer : decoder_) {
    encoded.memories.push_back(layer.cross->memory(x, x, {.lengths = source.lengths}));
  }
  return encoded;
}

Variable Transformer::through(std::size_t i, const Variable& x, const attention::Memory& source,
                              Past& past, const Call& call) const {
  const DecoderLayer& layer = decoder_[i];
  const int number = static_cast<int>(i);
  Variable y = residual(layer.self_norm, x, call, [&](const Variable& h) {
    past.history = past.history.keys.defined() ? layer.self->grown(past.history, h, h)
                                               : layer.self->memory(h, h);
    past.self = past.self.grown(past.history.size());
    return attend(*layer.self, h, past.history, past.self,
                  {.pattern = past_, .site = {number, "decoder self"}}, call);
  });
  y = residual(layer.cross_norm, y, call, [&](const Variable& h) {
    return attend(*layer.cross, h, source, past.cross,
                  {.pattern = source_tokens_, .site = {number, "cross"}}, call);
  });
  return residual(layer.feed_norm, y, call,
                  [&](const Variable& h) { return layer.feed(h, call.noise); });
}

Variable Transformer::logits(const Variable& hidden) const {
  const Variable x = options_.norm == NormPlace::pre ? decoder_norm_(hidden) : hidden;
  return linear(x, options_.tie == Tie::none ? output_ : target_.embedding.weight, output_bias_);
}

Variable Transformer::decode(const Encoded& encoded, const Sequences& target,
                             const Call& call) const {
  check_sequences("transformer", target, longest());
  Variable x = embed(target_, shifted(target.ids), 0, call);
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    Past past;
    x = through(i, x, encoded.memories[i], past, call);
  }
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
  Variable x = embed(target_, tokens.reshape({tokens.size(), 1}), state.step, call);
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    Past past{std::move(next.history[i]), std::move(next.attentions[2 * i]),
              std::move(next.attentions[2 * i + 1])};
    x = through(i, x, encoded.memories[i], past, call);
    next.history[i] = std::move(past.history);
    next.attentions[2 * i] = std::move(past.self);
    next.attentions[2 * i + 1] = std::move(past.cross);
  }
  ++next.step;
  return {logits(reshape(x, {tokens.size(), options_.width})), std::move(next)};
}

}  // namespace heed::models
