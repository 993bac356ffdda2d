// SPDX-License-Identifier: Apache-2.0
// Attending by composition: score, bias, weigh, combine; groups of heads side by side, and queries
// one at a time where a score looks back at past weights.
#include <algorithm>

#include "heed/attention/head_weights.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/products.h"
#include "heed/attention/weigh.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// The pattern bound to one call, together with the data it looks at: both live until backward.
struct BoundCall {
  Ids lengths, query_segments, key_segments;
  std::vector<std::uint8_t> mask;
  std::vector<double> centres;
  std::unique_ptr<BoundPattern> pattern;
};

std::shared_ptr<const BoundPattern> bind(const Pattern& pattern, const MemoryData& data,
                                         PatternCall call, const Variable& centres) {
  auto bound = std::make_shared<BoundCall>();
  bound->lengths = data.lengths.packed();
  bound->query_segments = data.query_segments.packed();
  bound->key_segments = data.key_segments.packed();
  if (data.lengths.defined()) call.lengths = bound->lengths.span();
  if (data.query_segments.defined()) call.query_segments = bound->query_segments.span();
  if (data.key_segments.defined()) call.key_segments = bound->key_segments.span();
  if (data.mask.defined()) {
    if (data.mask.rank() != 4) {
      throw UsageError("tensor: a mask of shape {}; it takes [B or 1, H or 1, Q, K]",
                       data.mask.shape().text());
    }
    for (const Real allowed : data.mask.values()) bound->mask.push_back(allowed != 0);
    call.mask = bound->mask;
    call.mask_batch = data.mask.size(0);
    call.mask_heads = data.mask.size(1);
  }
  if (centres.defined()) {
    for (const Real centre : centres.value().values()) bound->centres.push_back(centre);
    call.centres = bound->centres;
  }
  bound->pattern = pattern.bind(call);
  return {bound, bound->pattern.get()};
}

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

Tensor joined_log_sum_exp(const std::vector<Attended>& parts, int axis) {
  if (!parts.front().log_sum_exp.defined()) return {};
  std::vector<Tensor> all;
  for (const Attended& part : parts) all.push_back(part.log_sum_exp);
  return concat(all, axis);
}

Attended joined(const std::vector<Attended>& parts, int axis) {
  Attended all;
  all.context = joined(parts, &Attended::context, axis);
  all.weights = joined(parts, &Attended::weights, axis);
  all.scores = joined(parts, &Attended::scores, axis);
  all.log_probability = joined(parts, &Attended::log_probability, axis);
  all.entropy = joined(parts, &Attended::entropy, axis);
  all.log_sum_exp = joined_log_sum_exp(parts, axis);
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

// What is given for `queries` queries, for one of them alone. Data of another size is left as it
// is: the part that needs it says what is wrong.
MemoryData data_of_query(const MemoryData& all, std::int64_t query, std::int64_t queries) {
  const auto row = [&](auto& x, int axis) {
    if (x.defined() && x.rank() > axis && x.size(axis) == queries) {
      x = x.slice(axis, query, query + 1);
    }
  };
  MemoryData one = all;
  row(one.mask, 2);
  row(one.bias, 2);
  row(one.query_segments, 1);
  if (one.bounds.defined() && one.bounds.rank() == 4 && one.bounds.size(2) == queries) {
    one.bounds = slice(one.bounds, 2, query, query + 1);
  }
  return one;
}

}  // namespace

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
  }
  return false;
}

// Where a group's n-th score keeps what it remembers: scores count through all groups.
Variable Mechanism::hidden_of(const AttentionState& state, std::size_t group,
                              std::size_t nth) const {
  if (state.hidden.empty()) return {};
  std::size_t place = nth;
  for (std::size_t g = 0; g < group; ++g) place += groups_[g].score_count();
  return state.hidden[place];
}

Attended Mechanism::attend_group(std::size_t index, const Call& call) const {
  const Group& group = groups_[index];
  const Memory& memory = call.memory;
  const AttentionState state = past_of_heads(call.state, group.first, group.heads);
  const Variable query = heads_of(call.query, group.first, group.heads);
  const Variable keys = heads_of(memory.keys, group.first_key_head, group.key_heads);
  const BiasCall bias_call{.query = query,
                           .keys = keys,
                           .first_query = call.first_query(),
                           .first_head = group.first,
                           .all_heads = shape_.heads,
                           .given = call.data.bias,
                           .lengths = call.data.lengths};
  Variable scores;
  Variable centres;
  std::size_t nth_score = 0;
  for (const Term& term : group.terms) {
    if (const auto* score = std::get_if<std::shared_ptr<Score>>(&term)) {
      const Variable more = (*score)->score(query, memory.projected[index][nth_score],
                                            {.first_query = call.first_query(),
                                             .state = state,
                                             .hidden = hidden_of(call.state, index, nth_score),
                                             .lengths = call.data.lengths,
                                             .keys = keys});
      ++nth_score;
      scores = scores.defined() ? scores + more : more;
    } else {
      const Bias& bias = *std::get<std::shared_ptr<Bias>>(term);
      scores = bias.transform(scores, bias_call);
      if (const Variable found = bias.centres(bias_call); found.defined()) centres = found;
    }
  }

  group.normaliser->check(memory.size());
  MemoryData data = call.data;
  const bool masks_all_heads = data.mask.defined() && data.mask.rank() == 4 &&
                               data.mask.size(1) == shape_.heads && shape_.heads > group.heads;
  if (masks_all_heads) data.mask = data.mask.slice(1, group.first, group.first + group.heads);
  const auto pattern = bind(*group.pattern, data,
                            {.batch = query.size(0),
                             .heads = group.heads,
                             .queries = query.size(2),
                             .keys = memory.size(),
                             .first_query = call.first_query(),
                             .total_queries = call.total_queries},
                            centres);
  Random* noise = call.options.noise;
  const Weighed weighed = weigh(*group.normaliser, pattern,
                                {.scores = scores,
                                 .parameters = group.parameters,
                                 .bounds = group.normaliser->takes_bounds() && data.bounds.defined()
                                               ? heads_of(data.bounds, group.first, group.heads)
                                               : Variable(),
                                 .seed = noise != nullptr ? noise->seed() : 0,
                                 .stream = noise != nullptr ? noise->next_u64() : 0});
  Variable weights = weighed.weights;
  for (const Term& term : group.terms) {
    if (const auto* bias = std::get_if<std::shared_ptr<Bias>>(&term)) {
      weights = (*bias)->scale_weights(weights, bias_call);
    }
  }
  Variable context =
      combine(weights, heads_of(memory.values, group.first_key_head, group.key_heads));
  for (const Term& term : group.terms) {
    const auto* bias = std::get_if<std::shared_ptr<Bias>>(&term);
    if (bias == nullptr) continue;
    const Variable more = (*bias)->add_to_context(weights, bias_call);
    if (more.defined()) context = context + more;
  }

  Attended found;
  found.context = context;
  found.weights = weights;
  found.scores = scores;
  found.log_probability = weighed.log_probability;
  found.entropy = weighed.entropy;
  if (call.options.log_sum_exp) found.log_sum_exp = log_sum_exp(*pattern, scores.value());
  return found;
}

Attended Mechanism::attend_once(const Call& call) const {
  std::vector<Attended> parts;
  for (std::size_t g = 0; g < groups_.size(); ++g) parts.push_back(attend_group(g, call));
  Attended all = joined(parts, 1);
  all.state = call.state;
  if (!looks_back()) {
    all.state.step += call.query.size(2);
    return all;
  }
  // One query: its weights [B,H,K] become the past of the next.
  all.state = call.state.after(select(all.weights, 2, 0));
  all.state.hidden.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Variable weights = select(parts[g].weights, 2, 0);
    std::size_t nth = 0;
    for (const Term& term : groups_[g].terms) {
      const auto* score = std::get_if<std::shared_ptr<Score>>(&term);
      if (score == nullptr) continue;
      all.state.hidden.push_back((*score)->remember(hidden_of(call.state, g, nth++), weights));
    }
  }
  return all;
}

void Mechanism::check_call(const Variable& query, const Memory& memory,
                           const AttentionState& state) const {
  if (query.rank() != 4 || query.size(0) != memory.keys.size(0) || query.size(1) != shape_.heads ||
      query.size(3) != shape_.query_width) {
    throw UsageError("attend: query {}; it takes [{},{},Q,{}]", query.shape().text(),
                     memory.keys.size(0), shape_.heads, shape_.query_width);
  }
  std::size_t scores = 0;
  bool takes_bounds = false;
  for (const Group& group : groups_) {
    scores += group.score_count();
    takes_bounds = takes_bounds || group.normaliser->takes_bounds();
  }
  if (!state.hidden.empty() && state.hidden.size() != scores) {
    throw UsageError("attend: a state of {} scores; \"{}\" has {}", state.hidden.size(), written(),
                     scores);
  }
  const Variable& bounds = memory.data.bounds;
  if (!bounds.defined()) return;
  if (!takes_bounds) {
    throw UsageError("mechanism: bounds were given, but no normaliser of \"{}\" takes them",
                     written());
  }
  const Shape wanted{query.size(0), shape_.heads, query.size(2), memory.size()};
  if (bounds.shape() != wanted) {
    throw UsageError("mechanism: bounds {}; it takes {}", bounds.shape().text(), wanted.text());
  }
}

Attended Mechanism::attend(const Variable& query, const Memory& memory, const AttentionState& state,
                           const AttendOptions& options) const {
  check_call(query, memory, state);
  const std::int64_t queries = query.size(2);
  Attended found;
  if (looks_back() && queries > 1) {
    std::vector<Attended> steps;
    AttentionState now = state;
    for (std::int64_t q = 0; q < queries; ++q) {
      const Variable row = slice(query, 2, q, q + 1);
      const MemoryData data = data_of_query(memory.data, q, queries);
      steps.push_back(attend_once({.query = row,
                                   .memory = memory,
                                   .data = data,
                                   .state = now,
                                   .options = options,
                                   .total_queries = memory.first_query + state.step + queries}));
      now = steps.back().state;
    }
    found = joined(steps, 2);
    found.state = now;
  } else {
    found = attend_once({.query = query,
                         .memory = memory,
                         .data = memory.data,
                         .state = state,
                         .options = options});
  }
  if (options.trace != nullptr) {
    options.trace->add(options.site, memory.first_query + state.step, found.weights.value());
  }
  if (!options.weights) {
    found.weights = Variable();
    found.scores = Variable();
  }
  return found;
}

}  // namespace heed::attention
