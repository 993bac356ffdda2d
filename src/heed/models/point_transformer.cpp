// SPDX-License-Identifier: Apache-2.0
// Context, glimpse, pointing.
#include "heed/models/point_transformer.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

// u = 10 tanh(s) is the soft cap 10 tanh(u / 10) of u = 10 s.
constexpr Real kCap = 10;
constexpr const char* kPointing = "scaled_dot + soft_cap(cap=10) | tensor";

TransformerStackOptions stack_of(const PointModelOptions& options) {
  return {.name = "attention model",
          .width = options.width,
          .heads = options.heads,
          .inner = options.inner,
          .layers = options.layers,
          .site = {.role = attention::Role::self,
                   .set = "encoder self",
                   .queries = "points",
                   .keys = "points"},
          .dropout = 0};
}

}  // namespace

struct PointTransformer::Read {
  Variable states{};  // [B,1+P,D], the end first
  Variable mean{};    // [B,D]
  attention::Memory glimpse{};
  attention::Memory pointing{};

  std::int64_t points() const { return states.size(1) - 1; }
  void visit(StateVisitor& visitor) {
    visitor("states", states);
    visitor("mean", mean);
    visitor("glimpse", glimpse);
    visitor("pointing", pointing);
  }
};

struct PointTransformer::Written {
  Variable used{};  // [N,1+P]
  Ids first{};      // [N], the first choice

  void visit(StateVisitor& visitor) {
    visitor("used", used);
    visitor("first", first);
  }
};

PointTransformer::PointTransformer(const PointModelOptions& options, Random& random)
    : options_(options),
      embed_(options.features, options.width, random),
      stack_(stack_of(options), random),
      start_(nn::parameter(nn::uniform({2 * options.width}, random, -1, 1))),
      end_(nn::parameter(nn::uniform({options.width}, random, -1, 1))),
      glimpse_({.mechanism = "scaled_dot | tensor",
                .query_width = 3 * options.width,
                .key_width = options.width,
                .output_width = options.width,
                .heads = options.heads,
                .head_width = options.width / std::max<std::int64_t>(options.heads, 1),
                .bias = false},
               random),
      keys_(options.width, options.width, random, {.bias = false}),
      pointing_(attention::make_attention(kPointing,
                                          {.query_width = options.width,
                                           .key_width = options.width,
                                           .value_width = options.features},
                                          random)) {}

void PointTransformer::visit(nn::ParameterVisitor& visitor) {
  visitor("embed", embed_);
  visitor("encoder", stack_);
  visitor("start", start_);
  visitor("end", end_);
  visitor("glimpse", glimpse_);
  visitor("keys", keys_);
  visitor("attention", *pointing_);
}

Encoded PointTransformer::read(const Variable& points, const Call& call) const {
  if (points.rank() != 3 || points.size(2) != options_.features) {
    throw UsageError("attention model: points {}; it takes [sets, points, {}]",
                     points.shape().text(), options_.features);
  }
  const std::int64_t batch = points.size(0), width = options_.width;
  const Variable states = stack_(embed_(points), {}, call);
  const Variable end = expand(reshape(end_, {1, 1, width}), {batch, 1, width});
  const Variable all = concat({end, states}, 1);
  const Variable keys = keys_(all);
  const Variable places = pad(points, 1, {.before = 1, .after = 0});
  return Read{
      .states = all,
      .mean = mean(states, 1),
      .glimpse = glimpse_.memory(all, all),
      .pointing = pointing_->memory(reshape(keys, {batch, 1, keys.size(1), width}),
                                    reshape(places, {batch, 1, places.size(1), places.size(2)}))};
}

Variable PointTransformer::no_ends(std::int64_t batch) const {
  return expand(reshape(start_, {1, 1, 2 * options_.width}), {batch, 1, 2 * options_.width});
}

Variable PointTransformer::context(const Read& read, const Variable& ends) const {
  const std::int64_t batch = ends.size(0), width = options_.width;
  const Variable mean = expand(reshape(read.mean, {batch, 1, width}), {batch, ends.size(1), width});
  return concat({mean, ends}, 2);
}

Variable PointTransformer::look(const Read& read, const Variable& context, const Tensor& allowed,
                                std::int64_t first, const Call& call) const {
  const attention::QueryData given{.mask = allowed, .first_query = first};
  const Variable seen = glimpse_
                            .attend(context, read.glimpse, {},
                                    {.given = given, .watch = call.watch, .site = kGlimpseSite})
                            .context;  // [B,T,D]
  const attention::AttendOptions options{
      .given = given, .weights = true, .watch = call.watch, .site = kPointingSite};
  const Variable query = reshape(seen * kCap, {seen.size(0), 1, seen.size(1), seen.size(2)});
  return pointed(pointing_->attend(query, read.pointing, {}, options), allowed,
                 options.shows_weights());
}

Variable PointTransformer::decode(const Encoded& encoded, const Ids& choices,
                                  const Call& call) const {
  const Read& read = encoded.as<Read>();
  const std::int64_t batch = choices.size(0), steps = choices.size(1);
  Variable ends = no_ends(batch);
  if (steps > 1) {
    const Ids last = choices.slice(1, 0, steps - 1).packed();
    const Ids first = choices.slice(1, 0, 1).expand({batch, steps - 1}).packed();
    ends = concat(
        {ends, concat({chosen_rows(read.states, first), chosen_rows(read.states, last)}, 2)}, 1);
  }
  return look(read, context(read, ends), allowed_choices(choices, read.points(), options_.least), 0,
              call);
}

DecoderState PointTransformer::start(const Encoded& encoded) const {
  const Read& read = encoded.as<Read>();
  const std::int64_t batch = read.states.size(0);
  return {.own = Written{.used = Variable(Tensor::zeros({batch, 1 + read.points()})),
                         .first = Ids::full({batch}, 0)}};
}

Step PointTransformer::step(const Encoded& encoded, const DecoderState& state, const Ids& chosen,
                            const Call& call) const {
  const Read& read = encoded.as<Read>();
  Written written = state.own.as<Written>();
  const std::int64_t rows = chosen.size(0);
  Variable ends;
  if (state.step == 0) {
    ends = no_ends(rows);
  } else {
    if (state.step == 1) written.first = chosen;
    written.used = Variable(marked(written.used.value(), chosen));
    ends = concat({chosen_rows(read.states, written.first), chosen_rows(read.states, chosen)}, 1);
    ends = reshape(ends, {rows, 1, ends.size(1)});
  }
  const Variable logits =
      look(read, context(read, ends),
           allowed_next(written.used.value(), state.step, options_.least), state.step, call);
  return {.logits = logits, .state = {state.step + 1, std::move(written)}};
}

}  // namespace heed::models
