// SPDX-License-Identifier: Apache-2.0
// Attending: groups of heads side by side, and queries one at a time where a score looks back at
// past weights.
#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// One field of several results, joined along an axis; not defined where none has it.
template <typename Field>
Variable joined(const std::vector<Attended>& parts, Field Attended::*field, int axis) {
  if (!(parts.front().*field).defined()) return {};
  if (parts.size() == 1) return parts.front().*field;
  Variables all;
  for (const Attended& part : parts) all.push_back(part.*field);
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

// The part of a state that belongs to some of the heads.
AttentionState heads_of(const AttentionState& state, std::int64_t first, std::int64_t count) {
  AttentionState part = state;
  for (Variable* past : {&part.previous, &part.coverage, &part.hidden}) {
    if (past->defined() && past->size(1) != count) *past = slice(*past, 1, first, first + count);
  }
  return part;
}

}  // namespace

bool Mechanism::looks_back() const {
  for (const Group& group : groups_) {
    for (const Term& term : group.terms) {
      const auto* score = std::get_if<std::shared_ptr<Score>>(&term);
      if (score != nullptr && (*score)->looks_back()) return true;
    }
  }
  return false;
}

Attended Mechanism::attend_once(const Variable& query, const Memory& memory,
                                const AttentionState& state, const AttendOptions& options) const {
  std::vector<Attended> parts;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const AttentionState mine = heads_of(state, groups_[g].first, groups_[g].heads);
    Call call{.query = query,
              .memory = memory,
              .state = mine,
              .options = options,
              .projected = memory.projected[g]};
    if (options.dropout > 0) {
      call.dropout = {options.dropout, options.noise->seed(), options.noise->next_u64()};
    }
    parts.push_back(attend_group(groups_[g], call));
  }
  Attended all = joined(parts, 1);
  all.state = state;
  if (!looks_back()) {
    all.state.step += query.size(2);
    return all;
  }
  // One query: its weights [B,H,K] become the past of the next.
  all.state = state.after(select(all.weights, 2, 0));
  Variables hidden;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    AttentionState mine = heads_of(state, groups_[g].first, groups_[g].heads);
    for (const Term& term : groups_[g].terms) {
      const auto* score = std::get_if<std::shared_ptr<Score>>(&term);
      if (score != nullptr)
        mine = (*score)->remember(std::move(mine), select(parts[g].weights, 2, 0));
    }
    if (mine.hidden.defined()) hidden.push_back(mine.hidden);
  }
  if (!hidden.empty() && hidden.size() != groups_.size()) {
    throw UsageError("mechanism: \"{}\": either all groups of heads keep a hidden state, or none",
                     spec_.text);
  }
  if (!hidden.empty()) all.state.hidden = concat(hidden, 1);
  return all;
}

Attended Mechanism::attend(const Variable& query, const Memory& memory, const AttentionState& state,
                           const AttendOptions& options) const {
  if (query.rank() != 4 || query.size(0) != memory.keys.size(0) || query.size(1) != shape_.heads ||
      query.size(3) != shape_.query_width) {
    throw UsageError("attend: query {}; it takes [{},{},Q,{}]", query.shape().text(),
                     memory.keys.size(0), shape_.heads, shape_.query_width);
  }
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    throw UsageError("attend: dropout {}; it takes 0 or more and less than 1", options.dropout);
  }
  if (options.dropout > 0 && options.noise == nullptr) {
    throw UsageError("attend: dropout {} without noise; give AttendOptions::noise",
                     options.dropout);
  }
  Attended found;
  if (looks_back() && query.size(2) > 1) {
    std::vector<Attended> steps;
    AttentionState now = state;
    for (std::int64_t q = 0; q < query.size(2); ++q) {
      steps.push_back(attend_once(slice(query, 2, q, q + 1), memory, now, options));
      now = steps.back().state;
    }
    found = joined(steps, 2);
    found.state = now;
  } else {
    found = attend_once(query, memory, state, options);
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
