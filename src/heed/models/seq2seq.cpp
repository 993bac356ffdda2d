// SPDX-License-Identifier: Apache-2.0
// What an encoder-decoder of recurrent networks is made of, and how it reads a source;
// seq2seq_decode.cpp writes with it.
#include "heed/models/seq2seq.h"

#include <algorithm>

#include "heed/attention/make_parts.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

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
  for (const Real probability : {options.dropout, options.attention_dropout}) {
    if (!(probability >= 0 && probability < 1)) {
      throw UsageError("seq2seq: dropout {}; it takes 0 or more and less than 1", probability);
    }
  }
  if (options.attention != "none" && options.arrangement == Arrangement::bahdanau &&
      options.input_feeding) {
    throw UsageError(
        "seq2seq: input feeding belongs to the luong arrangement; with bahdanau the context is the "
        "cell's input already: leave it out, or choose luong");
  }
  if ((options.copies || options.documents) && options.attention == "none") {
    throw UsageError("seq2seq: {} takes attention; with \"none\" there is nothing to look with",
                     options.copies ? "copying" : "reading the sentences before");
  }
  if (options.tie == Tie::all && options.source_vocabulary != options.target_vocabulary) {
    throw UsageError(
        "seq2seq: all embeddings are to be one, but the vocabularies have {} and {} pieces; share "
        "one vocabulary, or tie the target's only",
        options.source_vocabulary, options.target_vocabulary);
  }
}

}  // namespace

void Seq2Seq::Bridge::visit(nn::ParameterVisitor& visitor) {
  visitor("h", h);
  visitor("c", c);
}

void Seq2Seq::Decoder::visit(nn::ParameterVisitor& visitor) {
  visitor("layers", layers);
  visitor("feed", feed);
  visitor("readout", readout);
}

Seq2Seq::Seq2Seq(const Seq2SeqOptions& options, Random& random)
    : options_(options), dropout_{options.dropout} {
  check(options_);
  if (options_.encoder_hidden == 0) options_.encoder_hidden = options_.hidden;
  const std::int64_t hidden = options_.hidden, width = options_.embedding;
  source_ = nn::Embedding(options_.source_vocabulary, width, random, text::kPadding);
  target_ = options_.tie == Tie::all
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
  const std::int64_t both = encoder_.directions * options_.encoder_hidden;
  if (options_.attention != "none") {
    mechanism_ = attention::make_attention(
        options_.attention, {.query_width = hidden, .key_width = both, .value_width = both},
        random);
  }
  const bool lstm = options_.cell == nn::Cell::lstm;
  // Bahdanau starts from what the backward direction knows of the first word.
  const bool copies = !(attends() && reads_before()) && both == hidden;
  const std::int64_t known = attends() && reads_before() ? options_.encoder_hidden : both;
  for (int layer = 0; layer < options_.decoder_layers; ++layer) {
    decoder_.layers.emplace_back(options_.cell, layer == 0 ? width : hidden, hidden, random);
    Bridge bridge;
    if (!copies) bridge.h = nn::Linear(known, hidden, random);
    if (!copies && lstm) bridge.c = nn::Linear(known, hidden, random);
    bridges_.push_back(std::move(bridge));
  }
  const std::int64_t fed = feeds_input() ? hidden : reads_before() ? both : 0;
  const auto gates = static_cast<std::int64_t>(kernels::gate_count(options_.cell));
  if (fed > 0) decoder_.feed = nn::parameter(nn::glorot_uniform({gates * hidden, fed}, random));
  if (reads_before() || attends()) {
    decoder_.readout = nn::Linear(hidden + both + (reads_before() ? width : 0), hidden, random);
  }
  if (options_.tie == Tie::none) {
    output_ = nn::parameter(nn::glorot_uniform({options_.target_vocabulary, hidden}, random));
  } else if (hidden != width) {
    projection_ = nn::Linear(hidden, width, random, {.bias = false});
  }
  output_bias_ = nn::parameter(Tensor::zeros({options_.target_vocabulary}));
  if (options_.copies) copying_ = PointerGenerator(hidden + both + width, random);
  if (options_.documents) before_ = attention::HierarchicalAttention({.width = both}, random);
  tokens_ = attention::pattern_of("padding");
}

void Seq2Seq::visit(nn::ParameterVisitor& visitor) {
  visitor("source", source_);
  visitor("target", target_);
  visitor("encoder", encoder_);
  if (mechanism_) visitor("attention", *mechanism_);
  visitor("bridges", bridges_);
  visitor("decoder", decoder_);
  visitor("projection", projection_);
  visitor("output", output_);
  visitor("output_bias", output_bias_);
  if (copying_.defined()) visitor("copying", copying_);
  if (before_.defined()) visitor("before", before_);
}

bool Seq2Seq::reads_before() const {
  return attends() ? options_.arrangement == Arrangement::bahdanau
                   : options_.fixed == Fixed::every_step;
}

bool Seq2Seq::feeds_input() const {
  return attends() && options_.arrangement == Arrangement::luong && options_.input_feeding;
}

Variable Seq2Seq::drop(const Variable& x, nn::Noise noise) const {
  return options_.locked_dropout ? dropout_.locked(x, noise) : dropout_(x, noise);
}

nn::RecurrentStates Seq2Seq::first_states(const nn::RecurrentStates& last) const {
  const auto directions = static_cast<std::size_t>(encoder_.directions);
  const std::size_t layers = last.size() / directions;
  // Both directions of one layer, or Bahdanau's: the last one of the top layer.
  const auto known = [&](std::size_t layer, Variable RecurrentState::*part) -> Variable {
    if (attends() && reads_before()) return last.back().*part;
    const std::size_t first = std::min(layer, layers - 1) * directions;
    if (directions == 1) return last[first].*part;
    return concat({last[first].*part, last[first + 1].*part}, -1);
  };
  nn::RecurrentStates states;
  for (std::size_t layer = 0; layer < bridges_.size(); ++layer) {
    const Bridge& bridge = bridges_[layer];
    const auto through = [&](const nn::Linear& linear, Variable RecurrentState::*part) {
      const Variable state = known(layer, part);
      return linear.weight.defined() ? linear(state, Activation::tanh) : state;
    };
    const bool lstm = options_.cell == nn::Cell::lstm;
    states.push_back({through(bridge.h, &RecurrentState::h),
                      lstm ? through(bridge.c, &RecurrentState::c) : Variable()});
  }
  return states;
}

nn::RecurrentOutput Seq2Seq::read_source(const Sequences& source, const Call& call) const {
  check_sequences("seq2seq source", source, longest());
  const Variable words = drop(source_(source.ids.transpose()), call.noise);  // [S,B,E]
  return encoder_(words, {.lengths = source.lengths, .noise = call.noise});
}

Encoded Seq2Seq::encode(const Source& source, const Call& call) const {
  const Ids& lengths = source.sentences.lengths;
  const nn::RecurrentOutput read = read_source(source.sentences, call);
  Encoded encoded{.initial = first_states(read.final), .lengths = lengths};
  if (copying_.defined()) set_copies("seq2seq", source, options_.target_vocabulary, encoded);
  if (attends()) {
    Variable states = by_sentence(read.outputs);
    if (before_.defined() && source.before.rows.defined()) {
      const Sequences& before = source.before.source;
      const Variable past = by_sentence(read_source(before, {.noise = call.noise}).outputs);
      states = before_(states, before_.memory(past, before.lengths, source.before.rows),
                       {.noise = call.noise, .trace = call.trace, .site = {0, "source context"}});
    }
    const Variable keys = reshape(states, states.shape().inserted(1, 1));
    // Sentences of one length need no pattern: the fused kernel then asks nothing of any key.
    const bool padded = std::ranges::any_of(
        lengths.span(), [&](std::int32_t length) { return length < keys.size(2); });
    encoded.memories.push_back(
        mechanism_->memory(keys, keys, {.lengths = padded ? lengths : Ids()}));
  } else if (reads_before()) {
    const RecurrentState& top = read.final.back();
    encoded.summary =
        encoder_.directions == 1 ? top.h : concat({read.final[read.final.size() - 2].h, top.h}, -1);
  }
  return encoded;
}

}  // namespace heed::models
