// SPDX-License-Identifier: Apache-2.0
// All choices of a target at once, or one after another.
#include "heed/models/pointer_network.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/point_encoder.h"
#include "heed/models/sequences.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

std::shared_ptr<attention::Attention> make_look(const PointModelOptions& options,
                                                std::int64_t value_width, Random& random) {
  std::shared_ptr<attention::Attention> look = attention::make_attention(
      options.attention,
      {.query_width = options.width, .key_width = options.width, .value_width = value_width},
      random);
  attention::check_stepwise("pointer network", *look);
  if (!look->gives_weights() || !look->reads(attention::Given::mask)) {
    throw UsageError("pointer network: \"{}\" {}; write a mechanism such as \"additive | tensor\"",
                     options.attention,
                     look->gives_weights() ? "does not read the mask that hides points already used"
                                           : "has no weights, which are what it points with");
  }
  return look;
}

// [B,K,D] -> [B,1,K,D]
Variable one_head(const Variable& x) {
  return reshape(x, {x.size(0), 1, x.size(1), x.size(2)});
}

// [D] -> [B,1,D]
Variable for_each_set(const Variable& row, std::int64_t batch) {
  return expand(reshape(row, {1, 1, row.size(0)}), {batch, 1, row.size(0)});
}

}  // namespace

// Row b belongs to set b.
struct PointerNetwork::Read {
  Variable inputs{};  // [B,1+P,D]: the start, then the points as the decoder reads them
  attention::Memory glimpse{};
  attention::Memory pointing{};
  RecurrentState last{};

  std::int64_t points() const { return inputs.size(1) - 1; }
  void visit(StateVisitor& visitor) {
    visitor("inputs", inputs);
    visitor("glimpse", glimpse);
    visitor("pointing", pointing);
    visitor("last", last);
  }
};

// Where writing is.
struct PointerNetwork::Written {
  RecurrentState lstm{};
  Variable used{};  // [N,1+P]
  Looks looks{};

  void visit(StateVisitor& visitor) {
    visitor("lstm", lstm);
    visitor("used", used);
    visitor("looks", looks);
  }
};

PointerNetwork::PointerNetwork(const PointModelOptions& options, Random& random)
    : options_(options),
      embed_(options.features, options.width, random),
      encoder_(options.reading == PointReading::set
                   ? make_set_encoder(options.width, options.process, random)
                   : make_lstm_point_encoder(options.width, random)),
      start_(nn::parameter(nn::uniform({options.width}, random, Real(-.08), Real(.08)))),
      end_(nn::parameter(nn::uniform({options.width}, random, Real(-.08), Real(.08)))),
      decoder_({.cell = nn::Cell::lstm, .inputs = options.width, .hidden = options.width}, random),
      glimpse_(options.glimpse ? make_look(options, options.width, random) : nullptr),
      pointing_(make_look(options, options.features, random)) {}

void PointerNetwork::visit(nn::ParameterVisitor& visitor) {
  visitor("embed", embed_);
  visitor("encoder", *encoder_);
  visitor("start", start_);
  visitor("end", end_);
  visitor("decoder", decoder_);
  if (glimpse_) visitor("glimpse", *glimpse_);
  visitor("attention", *pointing_);
}

Encoded PointerNetwork::read(const Variable& points, const Call& call) const {
  if (points.rank() != 3 || points.size(2) != options_.features) {
    throw UsageError("pointer network: points {}; it takes [sets, points, {}]",
                     points.shape().text(), options_.features);
  }
  const std::int64_t batch = points.size(0);
  const Variable embedded = embed_(points);
  const EncoderStates encoded = (*encoder_)(embedded, call);
  Read read{.inputs = concat({for_each_set(start_, batch), embedded}, 1), .last = encoded.last[0]};
  const Variable keys = one_head(concat({for_each_set(end_, batch), encoded.states}, 1));
  if (glimpse_) read.glimpse = glimpse_->memory(keys, keys);
  // What is found is where it points to, on the mean; nothing of the model reads that.
  const Variable places = pad(points, 1, {.before = 1, .after = 0});
  read.pointing = pointing_->memory(keys, one_head(places));
  return read;
}

Variable PointerNetwork::look(const Read& read, const Variable& hidden, const Tensor& allowed,
                              Looks& looks, const Call& call) const {
  Variable query = one_head(hidden);
  if (glimpse_) {
    const attention::Attended seen =
        glimpse_->attend(query, read.glimpse, looks.glimpse,
                         {.given = {.mask = allowed}, .watch = call.watch, .site = kGlimpseSite});
    looks.glimpse = seen.state;
    query = seen.context;
  }
  const attention::AttendOptions options{
      .given = {.mask = allowed}, .weights = true, .watch = call.watch, .site = kPointingSite};
  const attention::Attended found =
      pointing_->attend(query, read.pointing, looks.pointing, options);
  looks.pointing = found.state;
  return pointed(found, allowed, options.shows_weights());
}

Variable PointerNetwork::decode(const Encoded& encoded, const Ids& choices,
                                const Call& call) const {
  const Read& read = encoded.as<Read>();
  const std::int64_t batch = choices.size(0), steps = choices.size(1);
  Ids before({batch, steps});
  for (std::int64_t b = 0; b < batch; ++b) {
    before.mutable_data()[b * steps] = 0;  // the start
    for (std::int64_t t = 1; t < steps; ++t) {
      before.mutable_data()[b * steps + t] = choices.at({b, t - 1});
    }
  }
  const Variable inputs = chosen_rows(read.inputs, before);  // [B,T,D]
  const nn::RecurrentOutput written = decoder_(transpose(inputs, 0, 1), {.initial = {read.last}});
  Looks looks;
  return look(read, by_sentence(written.outputs),
              allowed_choices(choices, read.points(), options_.least), looks, call);
}

DecoderState PointerNetwork::start(const Encoded& encoded) const {
  const Read& read = encoded.as<Read>();
  return {.own =
              Written{.lstm = read.last,
                      .used = Variable(Tensor::zeros({read.inputs.size(0), 1 + read.points()}))}};
}

Step PointerNetwork::step(const Encoded& encoded, const DecoderState& state, const Ids& chosen,
                          const Call& call) const {
  const Read& read = encoded.as<Read>();
  Written written = state.own.as<Written>();
  const bool first = state.step == 0;
  if (!first) written.used = Variable(marked(written.used.value(), chosen));
  const Ids which = first ? Ids::full(chosen.shape(), 0) : chosen;
  const Variable input = chosen_rows(read.inputs, which);  // [N,D]
  const nn::RecurrentOutput output =
      decoder_(reshape(input, {1, input.size(0), input.size(1)}), {.initial = {written.lstm}});
  written.lstm = output.final[0];
  const Variable logits =
      look(read, by_sentence(output.outputs),
           allowed_next(written.used.value(), state.step, options_.least), written.looks, call);
  return {.logits = logits, .state = {state.step + 1, std::move(written)}};
}

}  // namespace heed::models
