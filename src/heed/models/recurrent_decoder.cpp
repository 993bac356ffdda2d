// SPDX-License-Identifier: Apache-2.0
// What a decoder of recurrent networks is made of, and how it reads a source;
// recurrent_decoder_write.cpp writes with it.
#include "heed/models/recurrent_decoder.h"

#include <algorithm>

#include "heed/attention/make_parts.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

void check(const RecurrentDecoderOptions& options) {
  if (options.vocabulary < 1 || options.source_width < 1 || options.embedding < 1 ||
      options.hidden < 1 || options.layers < 1) {
    throw UsageError(
        "{}: vocabulary {}, source width {}, embedding {}, hidden {}, {} layers; all take 1 or "
        "more",
        options.name, options.vocabulary, options.source_width, options.embedding, options.hidden,
        options.layers);
  }
  if (options.source_directions < 1 || options.source_width % options.source_directions != 0) {
    throw UsageError("{}: source width {} does not divide into {} directions", options.name,
                     options.source_width, options.source_directions);
  }
  for (const Real probability : {options.dropout, options.attention_dropout}) {
    if (!(probability >= 0 && probability < 1)) {
      throw UsageError("{}: dropout {}; it takes 0 or more and less than 1", options.name,
                       probability);
    }
  }
  if (options.attention != "none" && options.arrangement == Arrangement::bahdanau &&
      options.input_feeding) {
    throw UsageError(
        "{}: input feeding belongs to the luong arrangement; with bahdanau the context is the "
        "cell's input already: leave it out, or choose luong",
        options.name);
  }
  if (options.places.defined() && (options.attention == "none" || options.input_feeding ||
                                   options.arrangement != Arrangement::luong)) {
    throw UsageError(
        "{}: where a step looked is fed to the next in the luong arrangement, in the place of what "
        "it read; choose luong with attention and without input feeding",
        options.name);
  }
  if (options.mixture && (options.attention == "none" || options.copies ||
                          options.arrangement != Arrangement::luong)) {
    throw UsageError(
        "{}: a mixture over keys takes attention in the luong arrangement, without copying: with "
        "{} what is attended to is more than a choice of what to foresee from",
        options.name,
        options.attention == "none" ? "no attention"
        : options.copies            ? "copying"
                                    : "bahdanau");
  }
  if (options.gate &&
      (options.attention == "none" || options.arrangement != Arrangement::bahdanau)) {
    throw UsageError("{}: a gate takes attention in the bahdanau arrangement; leave it out",
                     options.name);
  }
  if (options.copies && options.attention == "none") {
    throw UsageError("{}: copying takes attention; with \"none\" there is nothing to look with",
                     options.name);
  }
}

// [B,S,D] -> [B,D], padding left out.
Variable mean_state(const EncoderStates& source) {
  const std::int64_t batch = source.states.size(0), most = source.states.size(1);
  Tensor shares = Tensor::zeros({batch, most, 1});
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t count = source.lengths.defined() ? source.lengths.at({b}) : most;
    std::fill_n(shares.mutable_data() + b * most, count, 1 / static_cast<Real>(count));
  }
  return sum(source.states * Variable(shares), 1);
}

}  // namespace

const std::vector<std::string>& arrangement_names() {
  static const std::vector<std::string> names = {"bahdanau", "luong"};
  return names;
}

const std::vector<std::string>& fixed_names() {
  static const std::vector<std::string> names = {"initial", "every_step"};
  return names;
}

void RecurrentDecoder::Bridge::visit(nn::ParameterVisitor& visitor) {
  visitor("h", h);
  visitor("c", c);
}

void RecurrentDecoder::Layers::visit(nn::ParameterVisitor& visitor) {
  visitor("layers", layers);
  visitor("feed", feed);
  visitor("readout", readout);
}

RecurrentDecoder::RecurrentDecoder(const RecurrentDecoderOptions& options, Random& random)
    : RecurrentDecoder(options,
                       nn::Embedding(options.vocabulary, options.embedding, random, text::kPadding),
                       random) {}

RecurrentDecoder::RecurrentDecoder(const RecurrentDecoderOptions& options, nn::Embedding words,
                                   Random& random)
    : options_(options), dropout_{options.dropout}, target_(std::move(words)) {
  check(options_);
  const std::int64_t hidden = options_.hidden, width = options_.embedding;
  const std::int64_t both = options_.source_width;
  if (options_.attention != "none") {
    mechanism_ = attention::make_attention(
        options_.attention, {.query_width = hidden, .key_width = both, .value_width = both},
        random);
    attention::check_stepwise(options_.name.c_str(), *mechanism_);
  }
  const bool lstm = options_.cell == nn::Cell::lstm;
  // Bahdanau starts from what the backward direction knows of the first word.
  const bool copies = !(attends() && reads_before()) && both == hidden;
  const std::int64_t known = attends() && reads_before() ? both / options_.source_directions : both;
  for (int layer = 0; layer < options_.layers; ++layer) {
    decoder_.layers.emplace_back(options_.cell, layer == 0 ? width : hidden, hidden, random);
    Bridge bridge;
    if (!copies) bridge.h = nn::Linear(known, hidden, random);
    if (!copies && lstm) bridge.c = nn::Linear(known, hidden, random);
    bridges_.push_back(std::move(bridge));
  }
  const std::int64_t fed = feeds_input()    ? hidden
                           : feeds_places() ? options_.places.size(1)
                           : reads_before() ? both
                                            : 0;
  const auto gates = static_cast<std::int64_t>(kernels::gate_count(options_.cell));
  if (fed > 0) decoder_.feed = nn::parameter(nn::glorot_uniform({gates * hidden, fed}, random));
  if (reads_before() || attends()) {
    decoder_.readout = nn::Linear(hidden + both + (reads_before() ? width : 0), hidden, random);
  }
  if (!options_.tied) {
    output_ = nn::parameter(nn::glorot_uniform({options_.vocabulary, hidden}, random));
  } else if (hidden != width) {
    projection_ = nn::Linear(hidden, width, random, {.bias = false});
  }
  output_bias_ = nn::parameter(Tensor::zeros({options_.vocabulary}));
  if (options_.gate) gate_ = nn::Linear(hidden, 1, random);
  if (options_.copies) copying_ = PointerGenerator(hidden + both + width, random);
  tokens_ = attention::pattern_of("padding");
}

void RecurrentDecoder::visit(nn::ParameterVisitor& visitor) {
  visit_words(visitor, "embedding");
  visit_rest(visitor);
}

void RecurrentDecoder::visit_rest(nn::ParameterVisitor& visitor) {
  if (mechanism_) visitor("attention", *mechanism_);
  visitor("bridges", bridges_);
  visitor("decoder", decoder_);
  visitor("projection", projection_);
  visitor("output", output_);
  visitor("output_bias", output_bias_);
  if (copying_.defined()) visitor("copying", copying_);
  if (options_.gate) visitor("gate", gate_);
}

bool RecurrentDecoder::reads_before() const {
  return attends() ? options_.arrangement == Arrangement::bahdanau
                   : options_.fixed == Fixed::every_step;
}

bool RecurrentDecoder::feeds_input() const {
  return attends() && options_.arrangement == Arrangement::luong && options_.input_feeding;
}

bool RecurrentDecoder::feeds_places() const {
  return attends() && options_.places.defined();
}

Variable RecurrentDecoder::drop(const Variable& x, nn::Noise noise) const {
  return options_.locked_dropout ? dropout_.locked(x, noise) : dropout_(x, noise);
}

nn::RecurrentStates RecurrentDecoder::first_states(const EncoderStates& source) const {
  nn::RecurrentStates last = source.last;
  if (last.empty()) {
    // As if an encoder of one direction had ended there (Xu 2015, section 3.1.2).
    const Variable mean = mean_state(source);
    last.push_back({mean, mean});
  }
  const std::size_t directions =
      source.last.empty() ? 1 : static_cast<std::size_t>(options_.source_directions);
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

Encoded RecurrentDecoder::read(const EncoderStates& source) const {
  const Variable& states = source.states;
  if (states.rank() != 3 || states.size(2) != options_.source_width) {
    throw UsageError("{}: states {} of an encoder; it takes [B,S,{}]", options_.name,
                     states.shape().text(), options_.source_width);
  }
  RecurrentSource read{.initial = first_states(source)};
  if (attends()) {
    const Variable keys = reshape(states, states.shape().inserted(1, 1));
    // Sources of one length need no pattern: the fused kernel then asks nothing of any key.
    const bool padded = source.lengths.defined() &&
                        std::ranges::any_of(source.lengths.span(), [&](std::int32_t length) {
                          return length < keys.size(2);
                        });
    read.memory = mechanism_->memory(keys, keys, {.lengths = padded ? source.lengths : Ids()});
  } else if (reads_before()) {
    const nn::RecurrentStates& last = source.last;
    if (last.empty()) {
      read.summary = mean_state(source);
    } else {
      read.summary = options_.source_directions == 1
                         ? last.back().h
                         : concat({last[last.size() - 2].h, last.back().h}, -1);
    }
  }
  return read;
}

}  // namespace heed::models
