// SPDX-License-Identifier: Apache-2.0
// Attending by composition: score, bias, weigh, address, combine; groups of heads side by side, and
// queries one at a time where a part looks back at past weights.
#include <algorithm>

#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/compose/bind.h"
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/compose/products.h"
#include "heed/attention/compose/sequences.h"
#include "heed/attention/compose/weigh.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/lengths.h"

namespace heed::attention {
namespace {

// One field of several results, joined along an axis; not defined where none has it. Heads that do
// not draw beside some that do have zeros.
Variable joined(const std::vector<Attended>& parts, Variable Attended::*field, int axis) {
  const auto lacks = [field](const Attended& part) { return !(part.*field).defined(); };
  if (std::ranges::all_of(parts, lacks)) return {};
  if (parts.size() == 1) return parts.front().*field;
  Variables all;
  for (const Attended& part : parts) {
    all.push_back(lacks(part) ? Tensor::zeros(part.context.shape().without(3)) : part.*field);
  }
  return concat(all, axis);
}

Tensor joined(const std::vector<Attended>& parts, Tensor Attended::*field, int axis) {
  if (!(parts.front().*field).defined()) return {};
  std::vector<Tensor> all;
  for (const Attended& part : parts) all.push_back(part.*field);
  return concat(all, axis);
}

Attended joined(const std::vector<Attended>& parts, int axis) {
  Attended all;
  all.context = joined(parts, &Attended::context, axis);
  all.weights = joined(parts, &Attended::weights, axis);
  all.scores = joined(parts, &Attended::scores, axis);
  all.log_probability = joined(parts, &Attended::log_probability, axis);
  all.entropy = joined(parts, &Attended::entropy, axis);
  all.log_sum_exp = joined(parts, &Attended::log_sum_exp, axis);
  all.masked = joined(parts, &Attended::masked, axis);
  all.fused = std::ranges::any_of(parts, &Attended::fused);
  return all;
}

// The weights of the past that belong to some of the heads; what scores remember themselves is
// kept by group already.
AttentionState past_of_heads(const AttentionState& state, std::int64_t first, std::int64_t count) {
  AttentionState part = state;
  for (Variable* past : {&part.previous, &part.coverage}) {
    if (past->defined()) *past = heads_of(*past, first, count);
  }
  return part;
}

// Numbers for the rows of scores [B,H,Q,K] that no other call draws.
RowRandom rows_of_call(Random& noise, const Variable& scores) {
  const std::int64_t rows = scores.size(0) * scores.size(1) * scores.size(2);
  return {noise.seed(), noise.next_u64() * static_cast<std::uint64_t>(rows)};
}

// The weights [B,H,K] of the last query that saw a key, of weights [B,H,Q,K] and those before it.
Variable last_weights(const Variable& weights, Variable before) {
  const std::int64_t queries = weights.size(2);
  if (!before.defined()) before = Variable(Tensor::zeros(weights.shape().without(2)));
  const Tensor totals = sum(weights.value(), 3);  // [B,H,Q]
  const auto sees = [](const Tensor& total) {
    return std::ranges::all_of(total.values(), [](Real one) { return one > 0; });
  };
  std::int64_t first = queries;  // from which on every query of every head counts
  while (first > 0 && !(first < queries && sees(totals.slice(2, first, first + 1)))) --first;
  for (std::int64_t q = first; q < queries; ++q) {
    const Variable row = select(weights, 2, q);
    const Tensor counts = totals.slice(2, q, q + 1).expand(row.shape());
    before = where(counts, row, before);
  }
  return before;
}

// What is given for several queries, for one of them alone.
QueryData data_of_query(const QueryData& all, std::int64_t query) {
  QueryData one = all;
  if (all.mask.defined()) one.mask = all.mask.slice(2, query, query + 1);
  if (all.bias.defined()) one.bias = all.bias.slice(2, query, query + 1);
  if (all.segments.defined()) one.segments = all.segments.slice(1, query, query + 1);
  if (all.bounds.defined()) one.bounds = slice(all.bounds, 2, query, query + 1);
  return one;
}

}  // namespace

const MatrixNormaliser* Mechanism::Group::continuing() const {
  const auto* matrices = dynamic_cast<const MatrixNormaliser*>(normaliser.get());
  return matrices != nullptr && !matrices->looks_ahead() ? matrices : nullptr;
}

std::size_t Mechanism::Group::hidden_count() const {
  return score_count() + (continuing() != nullptr ? 1 : 0);
}

std::size_t Mechanism::Group::score_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(terms, [](const Term& term) {
    return std::holds_alternative<std::shared_ptr<Score>>(term);
  }));
}

bool Mechanism::looks_back() const {
  for (const Group& group : groups_) {
    for (const Term& term : group.terms) {
      const auto* score = std::get_if<std::shared_ptr<Score>>(&term);
      if (score != nullptr && (*score)->looks_back()) return true;
    }
    const auto looks = [](const auto& part) { return part->looks_back(); };
    if (std::ranges::any_of(group.addressing, looks)) return true;
  }
  return false;
}

bool Mechanism::remembers() const {
  return looks_back() || std::ranges::any_of(groups_, [](const Group& group) {
           return group.continuing() != nullptr;
         });
}

// Where a group's n-th score keeps what it remembers, or after these its normaliser, counted
// through all groups.
Variable Mechanism::hidden_of(const AttentionState& state, std::size_t group,
                              std::size_t nth) const {
  if (state.hidden.empty()) return {};
  std::size_t place = nth;
  for (std::size_t g = 0; g < group; ++g) place += groups_[g].hidden_count();
  return state.hidden[place];
}

Attended Mechanism::attend_group(std::size_t index, const Call& call) const {
  const Group& group = groups_[index];
  const AttendOptions& options = call.options;
  const DropoutMask mask = options.dropout > 0 ? DropoutMask{options.dropout, options.noise->seed(),
                                                             options.noise->next_u64()}
                                               : DropoutMask{};
  if (std::optional<Attended> fused = attend_fused(index, call, mask)) return *std::move(fused);
  const Memory& memory = call.memory;
  const AttentionState state = past_of_heads(call.state, group.first, group.heads);
  const Variable query = heads_of(call.query, group.first, group.heads);
  const Variable keys = heads_of(memory.keys, group.first_key_head, group.key_heads);
  const BiasCall bias_call = this->bias_call(call, group, query, keys);
  Variable scores;
  Variable centres;
  std::size_t nth_score = 0;
  for (const Term& term : group.terms) {
    if (const auto* score = std::get_if<std::shared_ptr<Score>>(&term)) {
      const Variable more = (*score)->score(query, memory.projected[index][nth_score],
                                            {.first_query = call.first_query(),
                                             .state = state,
                                             .hidden = hidden_of(call.state, index, nth_score),
                                             .lengths = call.memory.data.lengths,
                                             .keys = keys});
      ++nth_score;
      scores = scores.defined() ? scores + more : more;
    } else {
      const Bias& bias = *std::get<std::shared_ptr<Bias>>(term);
      scores = bias.transform(scores, bias_call);
      if (const Variable found = bias.centres(bias_call); found.defined()) centres = found;
    }
  }

  for (const TileChange& change : own_changes(group, call)) scores = apply(change, scores);

  const auto pattern = bound_pattern(group, call, centres);
  Random* noise = options.noise;
  const MatrixNormaliser* const continuing = group.continuing();
  const Variable before =
      continuing != nullptr ? hidden_of(call.state, index, group.score_count()) : Variable();
  if (continuing != nullptr && call.first_query() > 0 && !before.defined()) {
    throw UsageError(
        "attend: the first query stands at position {}, and {} needs to know of those before it; "
        "give the state that the call with them returned",
        call.first_query(), group.normaliser->card().name);
  }
  const Weighed weighed = weigh(
      *group.normaliser, pattern,
      {.scores = before.defined() ? continuing->continued(scores, before) : scores,
       .parameters = group.normaliser->parameters(),
       .bounds = group.normaliser->takes_bounds() && call.given.bounds.defined()
                     ? heads_of(call.given.bounds, group.first, group.heads)
                     : Variable(),
       .random = noise != nullptr ? rows_of_call(*noise, scores) : RowRandom{.likeliest = true}});
  Variable weights = weighed.weights;
  for (const auto& part : group.addressing) {
    weights = part->address(weights, {.query = query, .state = state, .pattern = pattern});
  }
  if (mask.probability > 0) weights = dropout(weights, mask);
  for (const Term& term : group.terms) {
    if (const auto* bias = std::get_if<std::shared_ptr<Bias>>(&term)) {
      weights = (*bias)->scale_weights(weights, bias_call);
    }
  }
  const Variable values = heads_of(memory.values, group.first_key_head, group.key_heads);
  if (options.shows_weights()) {
    weights = watched_weights(*options.watch, {.site = options.site,
                                               .first_sequence = call.first_sequence,
                                               .first_head = group.first,
                                               .first_query = call.first_query(),
                                               .weights = weights,
                                               .scores = scores,
                                               .values = values,
                                               .masked = masked_weights(*pattern, weights.value()),
                                               .normaliser = group.normaliser.get()});
  }
  Variable context = combine(weights, values);
  for (const Term& term : group.terms) {
    const auto* bias = std::get_if<std::shared_ptr<Bias>>(&term);
    if (bias == nullptr) continue;
    const Variable more = (*bias)->add_to_context(weights, bias_call);
    if (more.defined()) context = context + more;
  }

  Attended found;
  found.context = context;
  if (continuing != nullptr) found.state.hidden = {last_weights(weighed.weights, before)};
  // Other groups may be fused and have none.
  if (options.weights || options.shows_weights() || looks_back()) {
    found.weights = weights;
    found.scores = scores;
  }
  if (options.shows_weights()) found.masked = masked_weights(*pattern, weights.value());
  found.log_probability = weighed.log_probability;
  found.entropy = weighed.entropy;
  if (options.log_sum_exp) found.log_sum_exp = log_sum_exp(*pattern, scores.value());
  return found;
}

Attended Mechanism::attend_once(const Call& call) const {
  std::vector<Attended> parts;
  for (std::size_t g = 0; g < groups_.size(); ++g) parts.push_back(attend_group(g, call));
  Attended all = joined(parts, 1);
  all.state = call.state;
  if (!remembers()) {
    all.state.step += call.query.size(2);
    return all;
  }
  if (looks_back()) {
    // One query: its weights [B,H,K] become the past of the next.
    all.state = call.state.after(select(all.weights, 2, 0));
  } else {
    all.state.step += call.query.size(2);
  }
  all.state.hidden.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::size_t nth = 0;
    for (const Term& term : groups_[g].terms) {
      const auto* score = std::get_if<std::shared_ptr<Score>>(&term);
      if (score == nullptr) continue;
      const Variable before = hidden_of(call.state, g, nth++);
      const Variable hidden =
          looks_back() ? (*score)->remember(before, select(parts[g].weights, 2, 0)) : before;
      // A key that takes the place of padding later has no past.
      const Ids& lengths = call.memory.data.lengths;
      all.state.hidden.push_back(
          hidden.defined() && lengths.defined() ? nn::without_padding(hidden, lengths) : hidden);
    }
    if (groups_[g].continuing() != nullptr) {
      all.state.hidden.push_back(parts[g].state.hidden.front());  // padding has no weight
    }
  }
  return all;
}

Attended Mechanism::attend_sequences(const Call& call) const {
  for (const Group& group : groups_) {
    if (call.first_query() == 0 || !looks_ahead(*group.normaliser)) continue;
    throw UsageError(
        "attend: the first query stands at position {}, but {} weighs all queries of a sequence at "
        "once; give them in one call that begins at 0",
        call.first_query(), group.normaliser->card().name);
  }
  const std::int64_t queries = call.query.size(2);
  if (!looks_back() || queries <= 1) return attend_once(call);
  std::vector<Attended> steps;
  AttentionState now = call.state;
  for (std::int64_t q = 0; q < queries; ++q) {
    const Variable row = slice(call.query, 2, q, q + 1);
    const QueryData given = data_of_query(call.given, q);
    steps.push_back(attend_once({.query = row,
                                 .memory = call.memory,
                                 .given = given,
                                 .state = now,
                                 .options = call.options,
                                 .first_sequence = call.first_sequence,
                                 .total_queries = call.first_query() + queries}));
    now = steps.back().state;
  }
  Attended found = joined(steps, 2);
  found.state = now;
  return found;
}

Attended Mechanism::attend_apart(const Call& call) const {
  const Ids positions = call.given.first_query.each.packed();
  const std::int64_t batch = positions.size();
  std::vector<Attended> parts;
  std::vector<AttentionState> states;
  Range range;
  while (range.end < batch || parts.empty()) {
    range.begin = range.end;
    const std::int32_t position = batch == 0 ? 0 : positions.data()[range.begin];
    while (range.end < batch && positions.data()[range.end] == position) ++range.end;
    const Variable query = slice(call.query, 0, range.begin, range.end);
    const Memory memory = sequences_of(call.memory, range);
    const AttentionState state = sequences_of(call.state, range);
    QueryData given = sequences_of(call.given, range);
    given.first_query = position;
    parts.push_back(attend_sequences({.query = query,
                                      .memory = memory,
                                      .given = given,
                                      .state = state,
                                      .options = call.options,
                                      .first_sequence = range.begin}));
    states.push_back(parts.back().state);
  }
  Attended found = joined(parts, 0);
  found.state = joined_states(states);
  return found;
}

Attended Mechanism::attend(const Variable& query, const Memory& memory, const AttentionState& state,
                           const AttendOptions& options) const {
  const Call call{
      .query = query, .memory = memory, .given = options.given, .state = state, .options = options};
  check_call(call);
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    throw UsageError("attend: dropout {}; it takes 0 or more and less than 1", options.dropout);
  }
  if (options.dropout > 0 && options.noise == nullptr) {
    throw UsageError("attend: dropout {} without noise; give AttendOptions::noise",
                     options.dropout);
  }
  const Ids& each = options.given.first_query.each;
  Attended found = each.defined() ? attend_apart(call) : attend_sequences(call);
  if (options.watch != nullptr) {
    // Of sequences at different positions, the step counts from the first of these queries.
    options.watch->attended({.site = options.site,
                             .first_query = each.defined() ? state.step : call.first_query(),
                             .weights = found.masked,
                             .log_probability = found.log_probability,
                             .entropy = found.entropy,
                             .fused = found.fused});
  }
  if (!options.weights) {
    found.weights = Variable();
    found.scores = Variable();
  }
  return found;
}

}  // namespace heed::attention
