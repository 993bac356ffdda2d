// SPDX-License-Identifier: Apache-2.0
// What a call of attend must fit: a memory of this mechanism's own, data that some part reads, and
// shapes; all of it is asked before anything is read.
#include <fmt/format.h>

#include <algorithm>

#include "heed/attention/bias.h"
#include "heed/attention/compose/given.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/base/error.h"

namespace heed::attention {

void Mechanism::check_memory(const Memory& memory) const {
  bool fits = memory.projected.size() == groups_.size();
  for (std::size_t g = 0; fits && g < groups_.size(); ++g) {
    fits = memory.projected[g].size() == groups_[g].score_count();
  }
  fits = fits && memory.keys.rank() == 4 && memory.values.rank() == 4 &&
         memory.keys.size(1) == shape_.key_heads && memory.keys.size(3) == shape_.key_width &&
         memory.values.shape() == memory.keys.shape().with(3, memory.values.size(3));
  if (fits && (memory.maker == nullptr || memory.maker == identity())) return;
  throw UsageError(
      "attend: a memory of keys {} and values {} that another mechanism has made; \"{}\" takes one "
      "of its own memory(), of keys [B,{},K,{}]",
      memory.keys.shape().text(), memory.values.shape().text(), written(), shape_.key_heads,
      shape_.key_width);
}

bool Mechanism::reads(Given given, const Pattern* own) const {
  const bool own_reads = own != nullptr && own->reads(given);
  const auto group_reads = [&](const Group& group) {
    if (given == Given::bounds) return group.normaliser->takes_bounds();
    const auto biased = [&](const Term& term) {
      const auto* bias = std::get_if<std::shared_ptr<Bias>>(&term);
      return bias != nullptr && attention::reads((*bias)->card(), given);
    };
    return own_reads || group.pattern->reads(given) || std::ranges::any_of(group.terms, biased);
  };
  // A head that saw padding would be a mistake; heads with and without a mask may be meant.
  return given == Given::lengths ? std::ranges::all_of(groups_, group_reads)
                                 : std::ranges::any_of(groups_, group_reads);
}

void Mechanism::check_given(const Call& call) const {
  const KeyData& keys = call.memory.data;
  const QueryData& queries = call.given;
  const auto check = [&](Given given, bool is_given) {
    if (!is_given || reads(given, call.options.pattern.get())) return;
    const std::string text = written();
    const std::string better = attention::written(with_reader(spec_, given));
    throw UsageError(
        "attend: {} given, but \"{}\" {}; {}", given_text(given), text,
        given == Given::lengths ? "has heads that do not read them" : "has no part that reads it",
        better == text ? "choose a normaliser that takes it" : fmt::format("write \"{}\"", better));
  };
  check(Given::lengths, keys.lengths.defined());
  check(Given::segments, queries.segments.defined() || keys.segments.defined());
  check(Given::mask, queries.mask.defined());
  check(Given::bias, queries.bias.defined());
  check(Given::bounds, queries.bounds.defined());
}

void Mechanism::check_shapes(const Call& call) const {
  const std::int64_t batch = call.query.size(0), queries = call.query.size(2);
  const std::int64_t keys = call.memory.size();
  const auto refuse = [](std::string_view name, const Shape& found, const std::string& wanted) {
    throw UsageError("attend: {} {}; it takes {}", name, found.text(), wanted);
  };
  const auto check_wide = [&](std::string_view name, const Tensor& x) {
    const auto fits = [&](int axis, std::int64_t size) {
      return x.size(axis) == 1 || x.size(axis) == size;
    };
    if (!x.defined() || (x.rank() == 4 && fits(0, batch) && fits(1, shape_.heads) &&
                         x.size(2) == queries && x.size(3) == keys)) {
      return;
    }
    refuse(name, x.shape(),
           fmt::format("[{0} or 1,{1} or 1,{2},{3}]", batch, shape_.heads, queries, keys));
  };
  check_wide("a mask", call.given.mask);
  check_wide("a bias", call.given.bias);
  const Ids& segments = call.given.segments;
  if (segments.defined() && segments.shape() != Shape{batch, queries}) {
    refuse("query segments", segments.shape(), Shape{batch, queries}.text());
  }
  const Ids& key_segments = call.memory.data.segments;
  if (key_segments.defined() && key_segments.shape() != Shape{batch, keys}) {
    refuse("key segments", key_segments.shape(), Shape{batch, keys}.text());
  }
  const Variable& bounds = call.given.bounds;
  if (const Shape wanted{batch, shape_.heads, queries, keys};
      bounds.defined() && bounds.shape() != wanted) {
    refuse("bounds", bounds.shape(), wanted.text());
  }
  const QueryPosition& first = call.given.first_query;
  if (first.each.defined() && first.each.shape() != Shape{batch}) {
    refuse("first queries", first.each.shape(), Shape{batch}.text());
  }
  const Ids each = first.each.defined() ? first.each.packed() : Ids();
  for (std::int64_t b = 0; each.defined() && b < batch; ++b) {
    if (each.data()[b] >= 0) continue;
    throw UsageError("attend: the first query of sequence {} stands at {}; positions start at 0", b,
                     each.data()[b]);
  }
}

void Mechanism::check_call(const Call& call) const {
  const Variable& query = call.query;
  const Memory& memory = call.memory;
  const AttentionState& state = call.state;
  check_memory(memory);
  check_given(call);
  if (query.rank() != 4 || query.size(0) != memory.keys.size(0) || query.size(1) != shape_.heads ||
      query.size(3) != shape_.query_width) {
    throw UsageError("attend: query {}; it takes [{},{},Q,{}]", query.shape().text(),
                     memory.keys.size(0), shape_.heads, shape_.query_width);
  }
  std::size_t parts = 0;
  for (const Group& group : groups_) parts += group.hidden_count();
  if (!state.hidden.empty() && state.hidden.size() != parts) {
    throw UsageError("attend: a state of {} parts; \"{}\" has {}", state.hidden.size(), written(),
                     parts);
  }
  check_shapes(call);
}

}  // namespace heed::attention
