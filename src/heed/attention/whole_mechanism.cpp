// SPDX-License-Identifier: Apache-2.0
// Checks, patterns and memories of whole mechanisms; what they compute is the part's own.
#include "heed/attention/whole_mechanism.h"

#include <algorithm>

#include "heed/attention/compose/bind.h"
#include "heed/attention/compose/checks.h"
#include "heed/attention/compose/given.h"
#include "heed/attention/compose/products.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/written/caret.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/nn/lengths.h"

namespace heed::attention {
namespace {

constexpr std::string_view kFollows =
    "follows patterns that show each query the first keys, such as causal and padding";

constexpr std::string_view kMixes =
    "mixes all keys before any query reads them, so that all queries see the same ones";

// Whether the first query of a long sequence sees what the last one sees.
bool shows_all_alike(const Pattern& pattern) {
  constexpr std::int32_t kLong = 1 << 30;
  const std::vector<std::int32_t> lengths{kLong};
  const auto bound = pattern.bind({.queries = kLong, .keys = kLong, .lengths = lengths});
  std::vector<KeyRun> first, last;
  bound->runs(0, 0, 0, first);
  bound->runs(0, 0, kLong - 1, last);
  return first.size() == last.size() && (first.empty() || first[0].end == last[0].end);
}

// Points at the first part of a written pattern that hides keys before others or, where keys are
// mixed, hides them from some queries.
void check_pattern(const PatternSpec& pattern, const Spec& spec, const WholeAttention& part) {
  for (const PatternSpec& inner : pattern.patterns) check_pattern(inner, spec, part);
  if (pattern.kind != PatternSpec::Kind::part) return;
  const auto made = make_pattern(pattern, spec.text);
  const std::string& name = part.card().name;
  std::string wrong;
  if (!made->shows_first_keys()) {
    wrong = fmt::format("{} {}; {} is another kind", name, kFollows, pattern.part.name);
  } else if (part.mixes_keys() && !shows_all_alike(*made)) {
    wrong = fmt::format("{} {}, and {} hides some; {} may be causal", name, kMixes,
                        pattern.part.name, causal_wholes());
  }
  if (wrong.empty()) return;
  throw UsageError(with_caret("mechanism: " + wrong, spec.text, pattern.part.place));
}

// The keys of one sequence that are in the sums. Where sequences have lengths, keys that come after
// sums belong to all of them.
std::int64_t summed_of(const Memory& memory, std::int64_t sequence) {
  if (memory.summed == 0 || !memory.data.lengths.defined()) return memory.summed;
  return memory.data.lengths.at({sequence}) - memory.keys.size(2);
}

// weights [B,H,Q,K] with kMasked beyond the visible keys [B,Q].
Tensor masked(const Tensor& weights, const std::vector<std::int64_t>& visible) {
  Tensor found = weights.packed().clone();
  const std::int64_t heads = weights.size(1), queries = weights.size(2), keys = weights.size(3);
  Real* row = found.mutable_data();
  for (std::int64_t r = 0; r < weights.size(0) * heads * queries; ++r, row += keys) {
    const std::int64_t place = r / (heads * queries) * queries + r % queries;
    const std::int64_t seen = visible[static_cast<std::size_t>(place)];
    std::fill(row + std::max<std::int64_t>(seen, 0), row + keys, kMasked);
  }
  return found;
}

}  // namespace

std::string causal_wholes() {
  std::vector<std::string> names;
  for (const auto& entry : Catalogue<WholeAttention>::entries()) {
    if (!entry.make()->mixes_keys()) names.push_back(entry.card.name);
  }
  return join(names, ", ");
}

WholeMechanism::WholeMechanism(const Spec& spec, const MechanismShape& shape, Random& random)
    : shape_(shape), spec_(spec) {
  check_shape(shape);
  const MechanismSpec& mechanism = spec_.groups.front().mechanism;
  const PartSpec& part = mechanism.terms.front();
  part_ = Catalogue<WholeAttention>::find(part.name)->make();
  Options options;
  part_->declare(options);
  set_options(options, part.name, part.arguments, spec_.text);
  check_pattern(mechanism.pattern, spec_, *part_);
  pattern_ = make_pattern(mechanism.pattern, spec_.text);
  part_->build(shape, random);
}

bool WholeMechanism::reads(Given given, const Pattern* own) const {
  return given == Given::lengths &&
         (pattern_->reads(given) || (own != nullptr && own->reads(given)));
}

Memory WholeMechanism::memory(const Variable& keys, const Variable& values,
                              const KeyData& data) const {
  check_keys(shape_, keys, values);
  nn::check_lengths("memory", data.lengths, keys.size(0), keys.size(2));
  return {.keys = keys, .values = values, .projected = {}, .data = data, .maker = part_.get()};
}

void WholeMechanism::check_memory(const Memory& memory) const {
  if (memory.maker == part_.get()) return;
  throw UsageError("attend: a memory that another mechanism has made; \"{}\" takes one of its own",
                   written());
}

Memory WholeMechanism::grown(const Memory& memory, const Variable& keys,
                             const Variable& values) const {
  check_memory(memory);
  check_keys(shape_, keys, values);
  if (!part_->sums_up()) return with_more(memory, keys, values);
  Memory more = this->memory(keys, values);
  std::vector<std::int64_t> count;
  for (std::int64_t b = 0; b < memory.keys.size(0); ++b) {
    count.push_back(nn::length_of(memory.data.lengths, b, memory.size()) - summed_of(memory, b));
  }
  more.sums = part_->sums({memory.keys, memory.values, memory.sums}, count);
  const std::int64_t added = keys.size(2);
  more.summed = std::max(memory.size(), memory.fill().longest() + added) - added;
  more.data = {.lengths = longer(memory.data.lengths, added), .segments = memory.data.segments};
  return more;
}

void WholeMechanism::check_call(const Variable& query, const Memory& memory,
                                const AttendOptions& options) const {
  check_memory(memory);
  const std::string& name = part_->card().name;
  if (query.rank() != 4 || query.size(0) != memory.keys.size(0) || query.size(1) != shape_.heads ||
      query.size(3) != shape_.query_width) {
    throw UsageError("attend: query {}; it takes [{},{},Q,{}]", query.shape().text(),
                     memory.keys.size(0), shape_.heads, shape_.query_width);
  }
  const QueryData& given = options.given;
  const auto refuse = [&](Given data, bool is_given) {
    if (!is_given || reads(data, options.pattern.get())) return;
    throw UsageError("attend: {} given, but {} reads {}", given_text(data), name,
                     data == Given::lengths ? "them only where \"padding\" is in its pattern"
                                            : "nothing besides keys, values and lengths");
  };
  refuse(Given::lengths, memory.data.lengths.defined());
  refuse(Given::segments, given.segments.defined() || memory.data.segments.defined());
  refuse(Given::mask, given.mask.defined());
  refuse(Given::bias, given.bias.defined());
  refuse(Given::bounds, given.bounds.defined());
  if (options.pattern != nullptr && !options.pattern->shows_first_keys()) {
    throw UsageError("attend: {} {}, not \"{}\"", name, kFollows, options.pattern->written());
  }
  if (!options.changes.empty() || options.log_sum_exp) {
    throw UsageError("attend: {} has no scores that could be changed or summed up", name);
  }
  if (options.dropout != 0) {
    throw UsageError("attend: dropout {}, but {} {}; it takes 0", options.dropout, name,
                     part_->weighs() ? "needs its weights whole" : "has no weights to drop");
  }
  if ((options.weights || options.shows_weights()) && (!gives_weights() || memory.summed > 0)) {
    throw UsageError(
        "attend: weights asked for, but {} {}", name,
        gives_weights() ? "keeps only sums of the keys of a memory that has grown" : "has none");
  }
  const Ids& each = given.first_query.each;
  if (each.defined() && each.shape() != Shape{query.size(0)}) {
    throw UsageError("attend: first queries {}; it takes [{}]", each.shape().text(), query.size(0));
  }
}

std::shared_ptr<const BoundPattern> WholeMechanism::bound(const Variable& query,
                                                          const Memory& memory,
                                                          std::int64_t first_query,
                                                          const AttendOptions& options) const {
  const PatternCall call{.batch = query.size(0),
                         .heads = shape_.heads,
                         .queries = query.size(2),
                         .keys = memory.size(),
                         .first_query = first_query};
  return bind_both(*pattern_, options.pattern.get(), memory.data, {}, call, {});
}

std::vector<std::int64_t> WholeMechanism::visible(const Variable& query, const Memory& memory,
                                                  const AttentionState& state,
                                                  const AttendOptions& options) const {
  const QueryPosition& first = options.given.first_query;
  const std::vector<std::int32_t> each =
      first.each.defined() ? first.each.values() : std::vector<std::int32_t>();
  std::shared_ptr<const BoundPattern> pattern;
  std::vector<std::int64_t> visible;
  std::vector<KeyRun> runs;
  for (std::int64_t b = 0; b < query.size(0); ++b) {
    const std::int64_t position =
        state.step + (each.empty() ? first.all : each[static_cast<std::size_t>(b)]);
    if (b == 0 || !each.empty()) pattern = bound(query, memory, position, options);
    const std::int64_t summed = summed_of(memory, b);
    for (std::int64_t q = 0; q < query.size(2); ++q) {
      pattern->runs(b, 0, q, runs);
      const std::int64_t seen = runs.empty() ? 0 : runs.front().end;
      if (seen > 0 && seen < summed) {
        throw UsageError(
            "attend: {} keeps only the sum of the first {} keys of this memory; the query at "
            "position {} sees {} of them",
            part_->card().name, summed, position + q, seen);
      }
      visible.push_back(seen == 0 ? -1 : seen - summed);
    }
  }
  return visible;
}

// Queries that see none may be among those that see the same keys.
void WholeMechanism::check_alike(const std::vector<std::int64_t>& visible,
                                 std::int64_t queries) const {
  for (std::size_t first = 0; first < visible.size(); first += static_cast<std::size_t>(queries)) {
    std::int64_t most = -1;
    for (std::int64_t q = 0; q < queries; ++q) {
      const std::int64_t seen = visible[first + static_cast<std::size_t>(q)];
      if (seen < 0) continue;
      if (most >= 0 && seen != most) {
        throw UsageError(
            "attend: {} {}, and the pattern shows {} to one and {} to another; {} may "
            "be causal",
            part_->card().name, kMixes, most, seen, causal_wholes());
      }
      most = seen;
    }
  }
}

Attended WholeMechanism::attend(const Variable& query, const Memory& memory,
                                const AttentionState& state, const AttendOptions& options) const {
  check_call(query, memory, options);
  WholeCall call{
      query, {memory.keys, memory.values, memory.sums}, visible(query, memory, state, options)};
  if (part_->mixes_keys()) check_alike(call.visible, query.size(2));
  const Ids& each = options.given.first_query.each;
  for (std::int64_t b = 0; b < query.size(0); ++b) {
    call.first.push_back(state.step +
                         (each.defined() ? each.at({b}) : options.given.first_query.all));
  }
  call.noise = options.noise;
  Attended found;
  found.state = state;
  found.state.step += query.size(2);
  WholeWeighed weighed;
  if (part_->weighs()) {
    const AttentionState reached = state.grown(memory.size());
    if (!reached.hidden.empty()) call.past = reached.hidden.front();
    weighed = part_->weigh(call);
    if (weighed.past.defined()) found.state.hidden = {weighed.past};
    found.context = part_->context_of(weighed.weights, call);
  } else {
    found.context = part_->context(call);
  }
  const std::int64_t first_query = options.given.first_query.all + state.step;
  if (options.weights || options.shows_weights()) {
    Variable weights = part_->weighs() ? weighed.weights : part_->weights(call);
    if (options.shows_weights()) {
      const Variable shown =
          watched_weights(*options.watch, {.site = options.site,
                                           .first_query = first_query,
                                           .weights = weights,
                                           .scores = Variable(),
                                           .values = memory.values,
                                           .masked = masked(weights.value(), call.visible)});
      // Other weights read the values one by one: the sums know nothing of them.
      if (!same_elements(shown, weights)) found.context = part_->context_of(shown, call);
      weights = shown;
      found.masked = masked(weights.value(), call.visible);
    }
    if (options.weights) found.weights = weights;
  }
  if (options.watch != nullptr) {
    options.watch->attended(
        {.site = options.site,
         .first_query = first_query,
         .weights = found.masked,
         .densities = weighed.densities,
         .penalty = options.noise != nullptr ? part_->penalty(call) : Variable()});
  }
  return found;
}

}  // namespace heed::attention
