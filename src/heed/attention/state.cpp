// SPDX-License-Identifier: Apache-2.0
// Steps, beams and growing memories, as they change the state.
#include "heed/attention/state.h"

#include "heed/attention/memory.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// x [B,H,K,...] with zeros after its keys.
Variable with_keys(const Variable& x, std::int64_t keys) {
  if (!x.defined() || x.size(2) == keys) return x;
  if (x.size(2) > keys) {
    throw UsageError("attention state: it knows {} keys and the memory has {}; a memory only grows",
                     x.size(2), keys);
  }
  return pad(x, 2, {.before = 0, .after = keys - x.size(2)});
}

// x [B,H,K,...] of its last keys only.
Variable last_keys(const Variable& x, std::int64_t keys) {
  if (!x.defined() || x.size(2) <= keys) return x;
  return slice(x, 2, x.size(2) - keys, x.size(2));
}

template <typename Change>
Variables each(const Variables& all, const Change& change) {
  Variables changed;
  for (const Variable& one : all) changed.push_back(change(one));
  return changed;
}

}  // namespace

AttentionState AttentionState::after(const Variable& weights) const {
  AttentionState next = *this;
  next.step = step + 1;
  next.previous = weights;
  next.coverage = coverage.defined() ? coverage + weights : weights;
  return next;
}

AttentionState AttentionState::reordered(const Ids& rows) const {
  if (rows.rank() != 1) {
    throw UsageError("attention state: rows of shape {}; reordered takes one row number per beam",
                     rows.shape().text());
  }
  return {.step = step,
          .previous = rows_of(previous, rows),
          .coverage = rows_of(coverage, rows),
          .hidden = each(hidden, [&](const Variable& x) { return rows_of(x, rows); })};
}

AttentionState AttentionState::grown(std::int64_t keys) const {
  return {.step = step,
          .previous = with_keys(previous, keys),
          .coverage = with_keys(coverage, keys),
          .hidden = each(hidden, [&](const Variable& x) { return with_keys(x, keys); })};
}

AttentionState AttentionState::last(std::int64_t keys) const {
  return {.step = 0,
          .previous = last_keys(previous, keys),
          .coverage = last_keys(coverage, keys),
          .hidden = each(hidden, [&](const Variable& x) { return last_keys(x, keys); })};
}

AttentionState AttentionState::detached() const {
  const auto value = [](const Variable& x) { return Variable(x.value()); };
  return {.step = step,
          .previous = value(previous),
          .coverage = value(coverage),
          .hidden = each(hidden, value)};
}

}  // namespace heed::attention
