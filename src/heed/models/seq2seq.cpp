// SPDX-License-Identifier: Apache-2.0
// The equations of every arrangement, all steps at once or one by one.
//
// With s_t the state of the decoder's top layer, y_t the embedding of target word t, h_j the states
// of the encoder and a(q) = sum over j of weight_j(q) h_j:
//
//   bahdanau    c_t = a(s_{t-1})   s_t = cell(s_{t-1}, [y_{t-1}; c_t])
//               r_t = tanh(W [s_t; c_t; y_{t-1}])               (Bahdanau 2015, appendix A.2)
//   luong       s_t = cell(s_{t-1}, [y_{t-1}; r_{t-1} with input feeding])   c_t = a(s_t)
//               r_t = tanh(W [c_t; s_t])                        (Luong 2015, Eq. 5)
//   initial     s_t = cell(s_{t-1}, y_{t-1})   r_t = s_t        (Sutskever 2014, section 2)
//   every_step  as bahdanau, but c_t = c, the encoder's last state (Cho 2014, section 2.2)
//
//   logits = W_o r_t + b_o
//
// The cell's product with [y; c] is W_x y + W_f c, so that all words are multiplied at once.
#include "heed/models/seq2seq.h"

#include <algorithm>

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
  if (options.tie == Tie::all && options.source_vocabulary != options.target_vocabulary) {
    throw UsageError(
        "seq2seq: all embeddings are to be one, but the vocabularies have {} and {} pieces; share "
        "one vocabulary, or tie the target's only",
        options.source_vocabulary, options.target_vocabulary);
  }
}

// x [T,B,D] -> [B,T,D]
Variable by_sentence(const Variable& x) {
  const std::int64_t steps = x.size(0), batch = x.size(1);
  Ids places({batch, steps});
  std::int32_t* place = places.mutable_data();
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t t = 0; t < steps; ++t) *place++ = static_cast<std::int32_t>(t * batch + b);
  }
  return embedding(reshape(x, {steps * batch, x.size(2)}), places);
}

// The places of tokens in [T*B], sentence after sentence, padding left out.
Ids time_major_places(const Sequences& sequences) {
  const auto batch = static_cast<std::int32_t>(sequences.ids.size(0));
  const auto steps = static_cast<std::int32_t>(sequences.ids.size(1));
  Ids places = token_places(sequences);
  for (std::int32_t& place : std::span(places.mutable_data(), places.span().size())) {
    place = place % steps * batch + place / steps;
  }
  return places;
}

// x [..., D] of all steps and sentences -> [N,D] at these places.
Variable rows_at(const Variable& x, const Ids& places) {
  return embedding(reshape(x, {-1, x.size(-1)}), places);
}

nn::Linear shared_linear(const nn::Linear& layer) {
  nn::Linear one = layer;
  one.weight = shared(layer.weight);
  return one;
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

Seq2Seq::Decoder Seq2Seq::Decoder::shared() const {
  Decoder one{.layers = layers, .feed = heed::shared(feed), .readout = shared_linear(readout)};
  for (nn::RecurrentLayer& layer : one.layers) {
    layer.w_x = heed::shared(layer.w_x);
    layer.w_h = heed::shared(layer.w_h);
  }
  return one;
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
    mechanism_.emplace(
        options_.attention,
        attention::MechanismShape{.query_width = hidden, .key_width = both, .value_width = both},
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

Encoded Seq2Seq::encode(const Sequences& source, const Call& call) const {
  check_sequences("seq2seq source", source, longest());
  const Variable words = drop(source_(source.ids.transpose()), call.noise);  // [S,B,E]
  const nn::RecurrentOutput read =
      encoder_(words, {.lengths = source.lengths, .noise = call.noise});
  Encoded encoded{.initial = first_states(read.final), .lengths = source.lengths};
  if (attends()) {
    const Variable states = by_sentence(read.outputs);
    const Variable keys = reshape(states, states.shape().inserted(1, 1));
    encoded.memories.push_back(mechanism_->memory(keys, keys, {.lengths = source.lengths}));
  } else if (reads_before()) {
    const RecurrentState& top = read.final.back();
    encoded.summary =
        encoder_.directions == 1 ? top.h : concat({read.final[read.final.size() - 2].h, top.h}, -1);
  }
  return encoded;
}

Variable Seq2Seq::attend(const Variable& query, const attention::Memory& memory,
                         attention::AttentionState& state, const Call& call) const {
  const bool padded = std::ranges::any_of(
      memory.data.lengths.span(), [&](std::int32_t length) { return length < memory.size(); });
  attention::Attended found =
      mechanism_->attend(query, memory, state,
                         {.noise = call.noise,
                          .dropout = call.noise == nullptr ? Real{0} : options_.attention_dropout,
                          .pattern = padded ? tokens_ : nullptr,
                          .trace = call.trace,
                          .site = {.layer = options_.decoder_layers - 1, .kind = "cross"}});
  state = std::move(found.state);
  return std::move(found.context);
}

Seq2Seq::Moved Seq2Seq::move(const Decoder& decoder, const Encoded& encoded,
                             const Variable& from_words, DecoderState& state,
                             const LayerDropout& dropout, const Call& call) const {
  const auto read = [&](const Variable& query) {  // [N,H] -> [N,D]
    const Variable context = attend(reshape(query, {query.size(0), 1, 1, query.size(1)}),
                                    encoded.memories.front(), state.attentions.front(), call);
    return reshape(context, {context.size(0), context.size(3)});
  };
  Moved moved;
  if (reads_before()) moved.context = attends() ? read(state.recurrent.back().h) : encoded.summary;
  Variable gates = from_words;
  if (decoder.feed.defined()) {
    gates = gates + linear(feeds_input() ? state.attentional : moved.context, decoder.feed, {});
  }
  for (std::size_t i = 0; i < decoder.layers.size(); ++i) {
    const nn::RecurrentLayer& layer = decoder.layers[i];
    if (i > 0) {
      const Variable& below = state.recurrent[i - 1].h;
      gates = linear(dropout.locked.empty() ? dropout_(below, dropout.noise)
                                            : heed::dropout(below, dropout.locked[i - 1]),
                     layer.w_x, layer.bias);
    }
    RecurrentState& mine = state.recurrent[i];
    mine = recurrent_step(options_.cell,
                          {gates, linear(mine.h, layer.w_h, {}), layer.candidate_bias}, mine);
  }
  moved.h = state.recurrent.back().h;
  if (attends() && !reads_before()) moved.context = read(moved.h);
  ++state.step;
  return moved;
}

Variable Seq2Seq::readout(const nn::Linear& layer, const Moved& moved,
                          const Variable& words) const {
  if (!moved.context.defined()) return moved.h;
  const Variable all = reads_before() ? concat({moved.h, moved.context, words}, -1)
                                      : concat({moved.context, moved.h}, -1);
  return layer(all, Activation::tanh);
}

Variable Seq2Seq::logits(const Variable& read, nn::Noise noise) const {
  Variable vector = dropout_(read, noise);
  if (projection_.weight.defined()) vector = projection_(vector);
  return linear(vector, options_.tie == Tie::none ? output_ : target_.weight, output_bias_);
}

Variable Seq2Seq::step_by_step(const Encoded& encoded, const Variable& words,
                               const Sequences& target, const Call& call) const {
  const Decoder decoder = decoder_.shared();
  Encoded source = encoded;
  attention::Memory& memory = source.memories.front();
  memory.values = shared(memory.values);
  const nn::RecurrentLayer& first = decoder_.layers.front();
  const Variables from_words = unstack(linear(words, first.w_x, first.bias), 0);
  LayerDropout dropout{.noise = call.noise};
  if (call.noise != nullptr && options_.locked_dropout && options_.dropout > 0) {
    for (std::size_t i = 1; i < decoder.layers.size(); ++i) {
      dropout.locked.push_back({options_.dropout, call.noise->seed(), call.noise->next_u64()});
    }
  }
  DecoderState state = start(encoded);
  Variables reads, states, contexts;
  for (const Variable& from_word : from_words) {
    Moved moved = move(decoder, source, from_word, state, dropout, call);
    if (feeds_input()) {
      state.attentional = readout(decoder.readout, moved, {});
      reads.push_back(state.attentional);
    } else {
      states.push_back(std::move(moved.h));
      contexts.push_back(std::move(moved.context));
    }
  }
  const Ids places = time_major_places(target);
  if (feeds_input()) return rows_at(stack(reads, 0), places);
  return readout(decoder_.readout,
                 {rows_at(stack(states, 0), places), rows_at(stack(contexts, 0), places)},
                 rows_at(words, places));
}

Variable Seq2Seq::at_once(const Encoded& encoded, const Variable& words, const Sequences& target,
                          const Call& call) const {
  Variable input = words;
  if (encoded.summary.defined()) {
    const Variable& summary = encoded.summary;
    input = concat({words, expand(reshape(summary, summary.shape().inserted(0, 1)),
                                  {words.size(0), words.size(1), summary.size(1)})},
                   -1);
  }
  for (std::size_t i = 0; i < decoder_.layers.size(); ++i) {
    const nn::RecurrentLayer& layer = decoder_.layers[i];
    const Variable w_x =
        i == 0 && decoder_.feed.defined() ? concat({layer.w_x, decoder_.feed}, 1) : layer.w_x;
    input = recurrent(options_.cell, i == 0 ? input : drop(input, call.noise),
                      {w_x, layer.w_h, layer.bias, layer.candidate_bias}, encoded.initial[i],
                      {.lengths = target.lengths})
                .outputs;
  }
  if (!attends()) {
    const Ids places = time_major_places(target);
    Moved moved{rows_at(input, places), {}};
    if (encoded.summary.defined()) {
      Ids sentences = token_places(target);
      for (std::int32_t& place : std::span(sentences.mutable_data(), sentences.span().size())) {
        place /= static_cast<std::int32_t>(target.ids.size(1));
      }
      moved.context = embedding(encoded.summary, sentences);
    }
    return readout(decoder_.readout, moved, rows_at(words, places));
  }
  const Variable states = by_sentence(input);  // [B,T,H]
  attention::AttentionState past;
  const Variable contexts =
      attend(reshape(states, states.shape().inserted(1, 1)), encoded.memories.front(), past, call);
  const Ids places = token_places(target);
  return readout(decoder_.readout, {rows_at(states, places), rows_at(contexts, places)}, {});
}

Variable Seq2Seq::decode(const Encoded& encoded, const Sequences& target, const Call& call) const {
  check_sequences("seq2seq target", target, longest());
  const Variable words = drop(target_(shifted(target.ids).transpose()), call.noise);  // [T,B,E]
  const bool waits = attends() && (reads_before() || feeds_input());
  return logits(
      waits ? step_by_step(encoded, words, target, call) : at_once(encoded, words, target, call),
      call.noise);
}

DecoderState Seq2Seq::start(const Encoded& encoded) const {
  DecoderState state{.recurrent = encoded.initial};
  if (feeds_input()) {
    state.attentional = Tensor::zeros({encoded.initial.front().h.size(0), options_.hidden});
  }
  if (attends()) state.attentions.emplace_back();
  return state;
}

Step Seq2Seq::step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
                   const Call& call) const {
  Step next{{}, state};
  const Variable words = dropout_(target_(tokens), call.noise);  // [N,E]
  const nn::RecurrentLayer& first = decoder_.layers.front();
  const Moved moved = move(decoder_, encoded, linear(words, first.w_x, first.bias), next.state,
                           {.noise = call.noise}, call);
  const Variable read = readout(decoder_.readout, moved, words);
  if (feeds_input()) next.state.attentional = read;
  next.logits = logits(read, call.noise);
  return next;
}

}  // namespace heed::models
