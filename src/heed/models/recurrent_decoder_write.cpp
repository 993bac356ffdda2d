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
//   gate        as bahdanau, but c_t = sigmoid(w s_{t-1} + b) a(s_{t-1})   (Xu 2015)
//   every_step  as bahdanau, but c_t = c, the encoder's last state (Cho 2014, section 2.2)
//   mixture     as luong, but r_t(j) = tanh(W [h_j; s_t]) and p = sum over j of weight_j
//   softmax(W_o
//               r_t(j) + b_o); what is fed is the r_t of c_t   (Wu, Shapiro & Cotterell 2018)
//
//   logits = W_o r_t + b_o
//
// The cell's product with [y; c] is W_x y + W_f c, so that all words are multiplied at once.

#include "heed/autograd/ops.h"
#include "heed/models/mixture.h"
#include "heed/models/recurrent_decoder.h"
#include "heed/tensor/join.h"

namespace heed::models {
namespace {

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

RecurrentDecoder::Layers RecurrentDecoder::Layers::shared() const {
  Layers one{.layers = layers, .feed = heed::shared(feed), .readout = shared_linear(readout)};
  for (nn::RecurrentLayer& layer : one.layers) {
    layer.w_x = heed::shared(layer.w_x);
    layer.w_h = heed::shared(layer.w_h);
  }
  return one;
}

Variable RecurrentDecoder::shown(const Variable& states, const Call& call) const {
  if (call.watch == nullptr || !call.watch->wants_states()) return states;
  const attention::Site site{.set = "decoder",
                             .queries = "target",
                             .keys = "target read",
                             .layer = options_.layers - 1,
                             .stepwise = true};
  if (states.rank() == 3) {
    return transpose(attention::watched_states(call.watch, site, by_sentence(states)), 0, 1);
  }
  const Variable one_step = reshape(states, states.shape().inserted(1, 1));
  return reshape(attention::watched_states(call.watch, site, one_step), states.shape());
}

RecurrentDecoder::Attended RecurrentDecoder::attend(const Variable& query,
                                                    const attention::Memory& memory,
                                                    attention::AttentionState& state,
                                                    const Call& call) const {
  attention::Attended found =
      mechanism_->attend(query, memory, state,
                         {.weights = keeps_weights(),
                          .noise = call.noise,
                          .dropout = call.noise == nullptr ? Real{0} : options_.attention_dropout,
                          .pattern = memory.data.lengths.defined() ? tokens_ : nullptr,
                          .watch = call.watch,
                          .site = {.role = attention::Role::cross,
                                   .set = "cross",
                                   .queries = "target",
                                   .keys = "source",
                                   .layer = options_.layers - 1,
                                   .stepwise = true}});
  state = std::move(found.state);
  return {std::move(found.context), std::move(found.weights), std::move(found.masked)};
}

RecurrentDecoder::Moved RecurrentDecoder::move(const Layers& decoder, const RecurrentSource& source,
                                               const Variable& from_words,
                                               RecurrentDecoderState& state,
                                               const LayerDropout& dropout,
                                               const Call& call) const {
  Moved moved;
  const auto read = [&](const Variable& query) {  // [N,H] -> [N,D]
    const auto [context, weights, masked] = attend(
        reshape(query, {query.size(0), 1, 1, query.size(1)}), source.memory, state.attention, call);
    if (weights.defined()) moved.weights = reshape(weights, {weights.size(0), weights.size(3)});
    moved.masked = masked;
    return reshape(context, {context.size(0), context.size(3)});
  };
  if (reads_before()) moved.context = attends() ? read(state.recurrent.back().h) : source.summary;
  if (options_.gate) {
    moved.gate = gate_(state.recurrent.back().h, Activation::sigmoid);
    moved.context = moved.context * moved.gate;
  }
  Variable gates = from_words;
  if (decoder.feed.defined()) {
    gates = gates + linear(reads_before() ? moved.context : state.fed, decoder.feed, {});
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
  moved.h = shown(state.recurrent.back().h, call);
  if (attends() && !reads_before()) moved.context = read(moved.h);
  if (feeds_places()) state.fed = matmul(moved.weights, Variable(options_.places));
  return moved;
}

Variable RecurrentDecoder::readout(const nn::Linear& layer, const Moved& moved,
                                   const Variable& words) const {
  if (!moved.context.defined()) return moved.h;
  const Variable all = reads_before() ? concat({moved.h, moved.context, words}, -1)
                                      : concat({moved.context, moved.h}, -1);
  return layer(all, Activation::tanh);
}

Variable RecurrentDecoder::decision(const Moved& moved, const Variable& words) const {
  return concat({moved.context, moved.h, words}, -1);
}

Variable RecurrentDecoder::logits(const Variable& read, nn::Noise noise) const {
  Variable vector = dropout_(read, noise);
  if (projection_.weight.defined()) vector = projection_(vector);
  return linear(vector, options_.tied ? target_.weight : output_, output_bias_);
}

Variable RecurrentDecoder::mixed(const Variable& h, const Variable& weights,
                                 const attention::Memory& memory, const Ids& sequences,
                                 nn::Noise noise) const {
  // W [h_j; s_t] is a sum: its parts are computed once for each source word and once for each
  // state, not for each pair of them.
  const nn::Linear& layer = decoder_.readout;
  const Variable states = select(memory.values, 1, 0);
  const std::int64_t width = states.size(-1);
  const Variable from_words = linear(states, slice(layer.weight, 1, 0, width), layer.bias);
  const Variable from_h = linear(h, slice(layer.weight, 1, width, layer.weight.size(1)), {});
  return mixture_logits(weights, from_words, sequences,
                        [&](const Ids& rows, const Variable& words) {
                          return logits(tanh(words + embedding(from_h, rows)), noise);
                        });
}

RecurrentDecoder::Read RecurrentDecoder::step_by_step(const RecurrentSource& encoded,
                                                      const Variable& words,
                                                      const Sequences& target,
                                                      const Call& call) const {
  const Layers decoder = decoder_.shared();
  RecurrentSource source = encoded;
  source.memory.values = shared(source.memory.values);
  const nn::RecurrentLayer& first = decoder_.layers.front();
  const Variables from_words = unstack(linear(words, first.w_x, first.bias), 0);
  LayerDropout dropout{.noise = call.noise};
  if (call.noise != nullptr && options_.locked_dropout && options_.dropout > 0) {
    for (std::size_t i = 1; i < decoder.layers.size(); ++i) {
      dropout.locked.push_back({options_.dropout, call.noise->seed(), call.noise->next_u64()});
    }
  }
  RecurrentDecoderState state = first_state(encoded);
  Variables reads, states, contexts, weights, gates;
  std::vector<Tensor> masked;
  for (const Variable& from_word : from_words) {
    Moved moved = move(decoder, source, from_word, state, dropout, call);
    if (feeds_input()) {
      state.fed = readout(decoder.readout, moved, {});
      reads.push_back(state.fed);
    }
    if (!feeds_input() || keeps_weights()) {
      states.push_back(std::move(moved.h));
      contexts.push_back(std::move(moved.context));
    }
    if (keeps_weights()) weights.push_back(std::move(moved.weights));
    if (moved.gate.defined()) gates.push_back(reshape(moved.gate, {moved.gate.size(0)}));
    if (moved.masked.defined()) masked.push_back(std::move(moved.masked));
  }
  const Ids places = time_major_places(target);
  if (states.empty()) return {.vector = rows_at(stack(reads, 0), places)};
  const Moved all{rows_at(stack(states, 0), places), rows_at(stack(contexts, 0), places)};
  const Variable before = rows_at(words, places);
  Read read{.vector = feeds_input() ? rows_at(stack(reads, 0), places)
                                    : readout(decoder_.readout, all, before)};
  if (!gates.empty()) read.gates = stack(gates, 1);
  if (keeps_weights()) {
    if (copying_.defined()) read.decision = decision(all, before);
    read.states = all.h;
    read.weights = stack(weights, 1);
    if (!masked.empty()) read.masked = concat(masked, 2);
  }
  return read;
}

RecurrentDecoder::Read RecurrentDecoder::at_once(const RecurrentSource& encoded,
                                                 const Variable& words, const Sequences& target,
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
  input = shown(input, call);
  if (!attends()) {
    const Ids places = time_major_places(target);
    Moved moved{rows_at(input, places), {}};
    if (encoded.summary.defined()) {
      moved.context = embedding(encoded.summary, token_rows(target));
    }
    return {.vector = readout(decoder_.readout, moved, rows_at(words, places))};
  }
  const Variable states = by_sentence(input);  // [B,T,H]
  attention::AttentionState past;
  const auto [contexts, weights, masked] =
      attend(reshape(states, states.shape().inserted(1, 1)), encoded.memory, past, call);
  const Ids places = token_places(target);
  const Moved all{rows_at(states, places), rows_at(contexts, places)};
  Read read{.vector = readout(decoder_.readout, all, {})};
  if (keeps_weights()) {
    if (copying_.defined()) {
      read.decision = decision(all, rows_at(words, time_major_places(target)));
    }
    read.states = all.h;
    read.weights = select(weights, 1, 0);
    read.masked = masked;
  }
  return read;
}

Decoded RecurrentDecoder::decode(const Encoded& encoded, const Sequences& target,
                                 const Call& call) const {
  check_sequences((options_.name + " target").c_str(), target, longest());
  const Ids before = known_ids(shifted(target.ids), options_.vocabulary);
  const Variable words = drop(target_(before.transpose()), call.noise);  // [T,B,E]
  const bool waits = attends() && (reads_before() || feeds_input() || feeds_places());
  const auto& source = encoded.as<RecurrentSource>();
  const Read read =
      waits ? step_by_step(source, words, target, call) : at_once(source, words, target, call);
  if (options_.mixture) {
    return {.logits = mixed(read.states, rows_at(read.weights, token_places(target)), source.memory,
                            token_rows(target), call.noise)};
  }
  const Variable generated = logits(read.vector, call.noise);
  if (!copying_.defined()) {
    return {.logits = generated, .weights = read.weights, .gates = read.gates};
  }
  if (call.watch != nullptr) {
    copying_.show({.features = read.decision,
                   .places = token_places(target),
                   .weights = read.masked,
                   .layer = options_.layers - 1},
                  *call.watch);
  }
  return {.logits = copying_({.logits = generated,
                              .features = read.decision,
                              .weights = rows_at(read.weights, token_places(target)),
                              .sources = token_rows(target)},
                             source.copies),
          .copying = read.weights,
          .weights = read.weights,
          .gates = read.gates};
}

RecurrentDecoderState RecurrentDecoder::first_state(const RecurrentSource& source) const {
  RecurrentDecoderState state{.recurrent = source.initial};
  if (feeds_input() || feeds_places()) {
    state.fed = Tensor::zeros({source.initial.front().h.size(0), decoder_.feed.size(1)});
  }
  return state;
}

DecoderState RecurrentDecoder::start(const Encoded& encoded) const {
  return {.own = first_state(encoded.as<RecurrentSource>())};
}

Step RecurrentDecoder::step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
                            const Call& call) const {
  const auto& source = encoded.as<RecurrentSource>();
  Step next{{}, state};
  ++next.state.step;
  auto& own = next.state.own.as<RecurrentDecoderState>();
  const Variable words =
      dropout_(target_(known_ids(tokens, options_.vocabulary)), call.noise);  // [N,E]
  const nn::RecurrentLayer& first = decoder_.layers.front();
  const Moved moved = move(decoder_, source, linear(words, first.w_x, first.bias), own,
                           {.noise = call.noise}, call);
  const Variable read = readout(decoder_.readout, moved, words);
  if (feeds_input()) own.fed = read;
  if (options_.mixture) {
    next.logits =
        mixed(moved.h, moved.weights, source.memory, counted_rows(tokens.size()), call.noise);
    return next;
  }
  next.logits = logits(read, call.noise);
  if (copying_.defined()) {
    const Variable features = decision(moved, words);
    const Ids rows = counted_rows(tokens.size());
    if (call.watch != nullptr) {
      copying_.show({.features = features,
                     .places = rows,
                     .weights = moved.masked,
                     .layer = options_.layers - 1},
                    *call.watch);
    }
    next.logits = copying_(
        {.logits = next.logits, .features = features, .weights = moved.weights, .sources = rows},
        source.copies);
  }
  return next;
}

}  // namespace heed::models
