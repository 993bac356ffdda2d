// SPDX-License-Identifier: Apache-2.0
// Slices along the batch, of whatever is defined.
#include "heed/attention/compose/sequences.h"

#include "heed/autograd/ops.h"

namespace heed::attention {
namespace {

Variable part(const Variable& x, Range range) {
  return x.defined() ? slice(x, 0, range.begin, range.end) : Variable();
}
template <typename T>
TensorOf<T> part(const TensorOf<T>& x, Range range) {
  return x.defined() ? x.slice(0, range.begin, range.end) : x;
}

// The same field of several states, one after the other; not defined where none has it.
Variable joined(const Variables& parts) {
  return parts.front().defined() ? concat(parts, 0) : Variable();
}

}  // namespace

Memory sequences_of(const Memory& memory, Range range) {
  Memory some{.keys = part(memory.keys, range),
              .values = part(memory.values, range),
              .projected = {},
              .data = {.lengths = part(memory.data.lengths, range),
                       .segments = part(memory.data.segments, range)},
              .maker = memory.maker};
  for (const Variables& group : memory.projected) {
    Variables mine;
    for (const Variable& one : group) mine.push_back(part(one, range));
    some.projected.push_back(std::move(mine));
  }
  return some;
}

AttentionState sequences_of(const AttentionState& state, Range range) {
  AttentionState some{.step = state.step,
                      .previous = part(state.previous, range),
                      .coverage = part(state.coverage, range),
                      .hidden = {}};
  for (const Variable& one : state.hidden) some.hidden.push_back(part(one, range));
  return some;
}

QueryData sequences_of(const QueryData& given, Range range) {
  const auto shared_or = [&](const Tensor& x) {
    return x.defined() && x.size(0) == 1 ? x : part(x, range);
  };
  return {.segments = part(given.segments, range),
          .mask = shared_or(given.mask),
          .bias = shared_or(given.bias),
          .bounds = part(given.bounds, range)};
}

AttentionState joined_states(std::span<const AttentionState> parts) {
  const auto field = [&](const auto& of) {
    Variables all;
    for (const AttentionState& part : parts) all.push_back(of(part));
    return joined(all);
  };
  AttentionState whole{.step = parts.front().step,
                       .previous = field([](const AttentionState& part) { return part.previous; }),
                       .coverage = field([](const AttentionState& part) { return part.coverage; }),
                       .hidden = {}};
  for (std::size_t i = 0; i < parts.front().hidden.size(); ++i) {
    whole.hidden.push_back(field([i](const AttentionState& part) { return part.hidden[i]; }));
  }
  return whole;
}

}  // namespace heed::attention
