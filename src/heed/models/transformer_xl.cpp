// SPDX-License-Identifier: Apache-2.0
// Segments: read, remembered, compressed, forgotten.
#include "heed/models/transformer_xl.h"

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/segment_attention.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/arithmetic.h"

namespace heed::models {
namespace {

constexpr auto kTiedRowLength = Real(.2);  // of embeddings that are the output, as in gpt.cpp

const attention::Site kSegmentSite{.role = attention::Role::self,
                                   .set = "decoder self",
                                   .queries = "next",
                                   .keys = "text",
                                   .stepwise = true};

TransformerXlOptions completed(TransformerXlOptions options) {
  if (options.vocabulary < 1 || options.segment < 1) {
    throw UsageError("transformer_xl: vocabulary {}, segments of {} tokens; both take 1 or more",
                     options.vocabulary, options.segment);
  }
  const bool compresses = options.compression != CompressionKind::none;
  if (options.memory < 0 || (compresses && options.slots < 1)) {
    throw UsageError(
        "transformer_xl: a memory of {} states and {} slots; it takes 0 or more, and 1"
        " or more",
        options.memory, options.slots);
  }
  const PositionsCard& positions =
      positions_cards()[static_cast<std::size_t>(options.stack.positions)];
  if (positions.absolute) {
    throw UsageError(
        "transformer_xl: {} positions are those of one segment, and a memory would have them "
        "twice; give --positions distances, relative, rotary or none",
        positions.name);
  }
  options.stack.name = "transformer_xl";
  options.stack.causal = true;
  options.stack.cross = false;
  options.stack.site = kSegmentSite;
  return options;
}

// Two parts of a text [B,S,D], either of which may not be there.
Variable joined(const Variable& a, const Variable& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  return concat({a, b}, 1);
}

// The states [B,S,D] from `begin` on as their own tensor, which keeps no other alive; none: not
// defined.
Variable kept(const Tensor& states, std::int64_t begin) {
  if (begin >= states.size(1)) return {};
  return Variable(states.slice(1, std::max<std::int64_t>(begin, 0), states.size(1)).clone());
}

std::int64_t tokens_in(const Variable& states) {
  return states.defined() ? states.size(1) : 0;
}

// Slots are no tokens: those who keep weights by token are shown the others.
class WithoutSlots final : public attention::Observer {
 public:
  WithoutSlots(attention::Observer& inner, std::int64_t slots) : inner_(inner), slots_(slots) {}

  bool wants_weights(const attention::Site& site) const override {
    return inner_.wants_weights(site);
  }
  Variable weights(const attention::ObservedWeights& observed) override {
    return inner_.weights(observed);
  }
  void attended(const attention::ObservedAttention& observed) override {
    attention::ObservedAttention shown = observed;
    if (shown.weights.defined()) {
      shown.weights = shown.weights.slice(3, slots_, shown.weights.size(3));
    }
    inner_.attended(shown);
  }
  bool wants_states() const override { return inner_.wants_states(); }
  Variable states(const attention::Site& site, const Variable& states) override {
    return inner_.states(site, states);
  }

 private:
  attention::Observer& inner_;
  std::int64_t slots_;
};

}  // namespace

TransformerXl::TransformerXl(const TransformerXlOptions& options, Random& random)
    : options_(completed(options)),
      words_(options_.vocabulary, options_.stack.width, random),
      stack_(options_.stack, random) {
  if (options_.compression != CompressionKind::none) {
    for (std::size_t i = 0; i < stack_.size(); ++i) {
      compressions_.emplace_back(options_.compression, options_.rate, options_.stack.width, random);
    }
  }
  if (options_.tie != Tie::none) {
    Tensor& rows = words_.weight.mutable_value();
    rows.assign(rows * kTiedRowLength);
  } else {
    output_ =
        nn::parameter(nn::glorot_uniform({options_.vocabulary, options_.stack.width}, random));
  }
  output_bias_ = nn::parameter(Tensor::zeros({options_.vocabulary}));
}

void TransformerXl::visit(nn::ParameterVisitor& visitor) {
  visitor("words", words_);
  visitor("stack", stack_);
  visitor("compression", compressions_);
  visitor("output", output_);
  visitor("output_bias", output_bias_);
}

DecoderState TransformerXl::start(std::int64_t tracks) const {
  return start_remembering(tracks, options_.memory);
}

DecoderState TransformerXl::start_remembering(std::int64_t, std::int64_t memory) const {
  if (memory < 0) throw UsageError("transformer_xl: a memory of {} states; 0 or more", memory);
  return {.own = TransformerXlState{memory, std::vector<SegmentPast>(stack_.size())}};
}

Reading TransformerXl::read(const DecoderState& state, const Ids& tokens, const Call& call) const {
  check_tokens("transformer_xl", *this, state, tokens);
  Reading reading{.hidden = {}, .state = state};
  auto& own = reading.state.own.as<TransformerXlState>();
  const std::int64_t length = tokens.size(1);
  Variables pieces;
  for (std::int64_t begin = 0; begin < length;) {
    const std::int64_t room = options_.segment - tokens_in(own.layers.front().segment);
    const std::int64_t end = std::min(begin + room, length);
    const double share = static_cast<double>(end - begin) / static_cast<double>(length);
    pieces.push_back(read_piece(own, tokens.slice(1, begin, end).clone(), share, call));
    begin = end;
  }
  reading.hidden = pieces.size() == 1 ? pieces.front() : concat(pieces, 1);
  reading.state.step += length;
  return reading;
}

Variable TransformerXl::read_piece(TransformerXlState& state, const Ids& tokens, double share,
                                   const Call& call) const {
  // Where something is learnt, keys and values are made of the states anew: a training that goes on
  // from a checkpoint, which has the states alone, does the same.
  const bool anew = recording() || !state.layers.front().past.history.keys.defined();
  std::vector<LayerPast> pasts(state.layers.size());
  std::vector<Variable> before;
  for (std::size_t i = 0; i < state.layers.size(); ++i) {
    SegmentPast& layer = state.layers[i];
    if (anew) {
      before.push_back(joined(joined(layer.slots, layer.memory), layer.segment));
    } else {
      pasts[i] = std::move(layer.past);
    }
  }
  std::optional<WithoutSlots> shown;
  Call mine = call;
  if (const std::int64_t slots = tokens_in(state.layers.front().slots);
      call.watch != nullptr && slots > 0) {
    mine.watch = &shown.emplace(*call.watch, slots);
  }
  Variables read;
  Variable hidden = stack_(stack_.embed(words_, tokens, 0, call),
                           {.pasts = pasts, .before = before, .read = &read}, mine);
  for (std::size_t i = 0; i < state.layers.size(); ++i) {
    SegmentPast& layer = state.layers[i];
    layer.segment = joined(layer.segment, read[i]);
    layer.past = recording() ? LayerPast() : std::move(pasts[i]);
  }
  if (tokens_in(state.layers.front().segment) == options_.segment) end_segment(state, share, call);
  return hidden;
}

void TransformerXl::end_segment(TransformerXlState& state, double share, const Call& call) const {
  for (std::size_t i = 0; i < state.layers.size(); ++i) {
    SegmentPast& layer = state.layers[i];
    const Tensor segment = layer.segment.value();
    const Tensor all = joined(layer.memory, Variable(segment)).value();
    std::int64_t leaving = std::max<std::int64_t>(all.size(1) - state.keep, 0);
    if (!compressions_.empty()) leaving -= leaving % options_.rate;  // the rest waits for more
    if (!compressions_.empty() && leaving > 0) {
      const Variable more = compressed(i, all.slice(1, 0, leaving).clone(), segment, share, call);
      const Tensor slots = joined(layer.slots, Variable(more.value())).value();
      layer.slots = kept(slots, slots.size(1) - options_.slots);
    }
    layer.memory = kept(all, leaving);
    layer.segment = {};
    layer.past = {};
  }
}

Variable TransformerXl::compressed(std::size_t layer, const Tensor& old, const Tensor& segment,
                                   double share, const Call& call) const {
  const MemoryCompression& compression = compressions_[layer];
  if (!compression.learns() && !compression.asks_for_usage()) {
    const NoGradient values_only;
    return compression(Variable(old));
  }
  const SegmentAttention look(options_.stack, stack_.layers()[layer]);
  if (compression.asks_for_usage()) return compression(Variable(old), look.usage(segment, old));
  Variable slots = compression(Variable(old));
  if (call.noise != nullptr && call.watch != nullptr) {
    const auto worth = static_cast<Real>(options_.reconstruction * share);
    const attention::Site site = options_.stack.site.at_layer(static_cast<int>(layer));
    attention::ObservedAttention told{.site = site};
    told.penalty = look.reconstruction_loss(segment, old, slots) * worth;
    call.watch->attended(told);
  }
  return slots;
}

Variable TransformerXl::logits(const Variable& hidden) const {
  return linear(hidden, options_.tie == Tie::none ? output_ : words_.weight, output_bias_);
}

}  // namespace heed::models
