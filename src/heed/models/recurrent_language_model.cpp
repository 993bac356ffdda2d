// SPDX-License-Identifier: Apache-2.0
// h_t = cell(h_{t-1}, x_t); where it attends, c_t = sum of weight_j(h_t) h_j over j < t, at most
// `span` of them, and the output reads h_t and c_t composed.
#include "heed/models/recurrent_language_model.h"

#include <algorithm>

#include "heed/attention/make_parts.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

void check(const RecurrentLanguageModelOptions& options) {
  if (options.vocabulary < 1 || options.embedding < 1 || options.hidden < 1 || options.layers < 1) {
    throw UsageError(
        "recurrent language model: vocabulary {}, embedding {}, hidden {}, {} layers; all take 1 "
        "or more",
        options.vocabulary, options.embedding, options.hidden, options.layers);
  }
  if (options.span < 1) {
    throw UsageError("recurrent language model: a span of {} states; it takes 1 or more",
                     options.span);
  }
}

}  // namespace

const std::vector<std::string>& composition_names() {
  static const std::vector<std::string> names = {"concat", "sum", "gate"};
  return names;
}

RecurrentLanguageModel::RecurrentLanguageModel(const RecurrentLanguageModelOptions& options,
                                               Random& random)
    : options_(options), dropout_{options.dropout} {
  check(options_);
  const std::int64_t hidden = options_.hidden, width = options_.embedding;
  words_ = nn::Embedding(options_.vocabulary, width, random);
  network_ = nn::RecurrentNetwork({.cell = options_.cell,
                                   .inputs = width,
                                   .hidden = hidden,
                                   .layers = options_.layers,
                                   .dropout = options_.dropout,
                                   .locked = options_.locked_dropout},
                                  random);
  if (options_.attention != "none") {
    mechanism_ = attention::make_attention(
        options_.attention, {.query_width = hidden, .key_width = hidden, .value_width = hidden},
        random);
    attention::check_stepwise("recurrent language model", *mechanism_);
    const bool both = options_.composition == Composition::concat;
    context_ = nn::Linear(both ? 2 * hidden : hidden, hidden, random, {.bias = both});
    if (options_.composition == Composition::gate) gate_ = nn::Linear(2 * hidden, hidden, random);
    visible_ = attention::pattern_of(fmt::format("window(left={}, right=0)", options_.span - 1));
  }
  if (!ties_output(options_.tie)) {
    output_ = nn::parameter(nn::glorot_uniform({options_.vocabulary, hidden}, random));
  } else if (hidden != width) {
    projection_ = nn::Linear(hidden, width, random, {.bias = false});
  }
  output_bias_ = nn::parameter(Tensor::zeros({options_.vocabulary}));
}

void RecurrentLanguageModel::visit(nn::ParameterVisitor& visitor) {
  visitor("words", words_);
  visitor("network", network_);
  if (mechanism_) visitor("attention", *mechanism_);
  visitor("context", context_);
  visitor("gate", gate_);
  visitor("projection", projection_);
  visitor("output", output_);
  visitor("output_bias", output_bias_);
}

DecoderState RecurrentLanguageModel::start(std::int64_t tracks) const {
  RecurrentTextState state;
  const Tensor zeros = Tensor::zeros({tracks, options_.hidden});
  for (int layer = 0; layer < options_.layers; ++layer) {
    state.recurrent.push_back(
        {zeros, options_.cell == nn::Cell::lstm ? Variable(zeros) : Variable()});
  }
  if (mechanism_) {
    // The state before the first token is the one past there is.
    state.history = Tensor::zeros({tracks, 1, 1, options_.hidden});
  }
  return {.own = std::move(state)};
}

Variable RecurrentLanguageModel::drop(const Variable& x, nn::Noise noise) const {
  return options_.locked_dropout ? dropout_.locked(x, noise) : dropout_(x, noise);
}

attention::Site RecurrentLanguageModel::site() const {
  return {.role = attention::Role::history,
          .set = "history",
          .queries = "next",
          .keys = "past",
          .layer = options_.layers - 1,
          .stepwise = true};
}

Variable RecurrentLanguageModel::look_back(const Variable& states, RecurrentTextState& state,
                                           const Call& call) const {
  const Variable query = reshape(states, states.shape().inserted(1, 1));  // [B,1,T,H]
  const Variable& past = state.history;                                   // [B,1,M,H]
  const Variable keys = concat({past, query}, 2);
  const attention::Memory memory = mechanism_->memory(keys, keys);
  attention::Attended found =
      mechanism_->attend(query, memory, state.past.grown(memory.size()),
                         // Query t has the position of the key before it: strictly after all it
                         // may see.
                         {.given = {.first_query = past.size(2) - 1},
                          .noise = call.noise,
                          .dropout = call.noise == nullptr ? Real{0} : options_.attention_dropout,
                          .pattern = visible_,
                          .watch = call.watch,
                          .site = site()});
  const std::int64_t kept = std::min(options_.span, keys.size(2));
  state.history = slice(keys, 2, keys.size(2) - kept, keys.size(2));
  state.past = found.state.last(kept);
  return reshape(found.context, states.shape());
}

Variable RecurrentLanguageModel::composed(const Variable& states, const Variable& contexts) const {
  switch (options_.composition) {
    case Composition::concat:
      return context_(concat({states, contexts}, -1), Activation::tanh);
    case Composition::sum:
      return states + context_(contexts);
    case Composition::gate: {
      const Variable gate = gate_(concat({states, contexts}, -1), Activation::sigmoid);
      return gate * states + (Real{1} - gate) * context_(contexts);
    }
  }
  throw InternalError("recurrent language model: an unknown composition");
}

Reading RecurrentLanguageModel::read(const DecoderState& state, const Ids& tokens,
                                     const Call& call) const {
  check_tokens("recurrent language model", *this, state, tokens);
  Reading reading{.hidden = {}, .state = state};
  const Variable words = drop(words_(tokens.transpose()), call.noise);  // [T,B,E]
  RecurrentTextState& own = reading.state.own.as<RecurrentTextState>();
  nn::RecurrentOutput run = network_(words, {.initial = own.recurrent, .noise = call.noise});
  own.recurrent = std::move(run.final);
  reading.state.step += tokens.size(1);
  const Variable states =
      attention::watched_states(call.watch, site(), transpose(run.outputs, 0, 1));  // [B,T,H]
  if (!mechanism_) {
    reading.hidden = transpose(drop(transpose(states, 0, 1), call.noise), 0, 1);
    return reading;
  }
  const Variable all = composed(states, look_back(states, own, call));
  reading.hidden = transpose(drop(transpose(all, 0, 1), call.noise), 0, 1);
  return reading;
}

Variable RecurrentLanguageModel::logits(const Variable& hidden) const {
  const Variable x = projection_.weight.defined() ? projection_(hidden) : hidden;
  return linear(x, !ties_output(options_.tie) ? output_ : words_.weight, output_bias_);
}

}  // namespace heed::models
