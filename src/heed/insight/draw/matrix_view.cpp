// SPDX-License-Identifier: Apache-2.0
// Heads are put together first, then tokens are merged and hidden, then rows or columns normalised.
#include "heed/insight/draw/matrix_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/draw/chosen_words.h"
#include "heed/insight/trace/label.h"
#include "heed/insight/trace/signed_set.h"

namespace heed::insight {
namespace {

// Tokens of a strip that make one row or column.
struct Group {
  std::string label;
  std::vector<std::int64_t> tokens;
};

bool is_special(const TokenStrip& strip, std::size_t token) {
  return strip.words.empty() ? looks_special(strip.tokens[token]) : strip.words[token] < 0;
}

std::vector<Group> groups_of(const TokenStrip& strip, const MatrixViewOptions& options) {
  std::vector<Group> groups;
  for (std::size_t begin = 0, end = 0; begin < strip.tokens.size(); begin = end) {
    end = begin + 1;
    const bool pieces = options.merge_words && !strip.words.empty() && strip.words[begin] >= 0;
    while (pieces && end < strip.tokens.size() && strip.words[end] == strip.words[begin]) ++end;
    if (options.hide_special && is_special(strip, begin)) continue;
    const std::span<const std::string> tokens(&strip.tokens[begin], end - begin);
    Group group{label_of(pieces ? word_of(tokens) : tokens[0]), {}};
    for (std::size_t i = begin; i < end; ++i) group.tokens.push_back(static_cast<int>(i));
    groups.push_back(std::move(group));
  }
  if (groups.empty()) {
    throw UsageError("strip '{}': {} tokens, and none is left to show", strip.name,
                     strip.tokens.size());
  }
  return groups;
}

std::string layers_text(const AttentionSet& set) {
  const int first = set.heads.front().layer, last = set.heads.back().layer;
  return first == last ? fmt::format("layer {}", first)
                       : fmt::format("layers {} to {}", first, last);
}

std::vector<const TracedHead*> heads_of(const AttentionSet& set, const MatrixViewOptions& options) {
  if (set.heads.empty()) throw UsageError("set '{}' has no heads", set.kind);
  const int layer = options.layer == kLastLayer ? set.heads.back().layer : options.layer;
  std::vector<const TracedHead*> heads;
  for (const TracedHead& head : set.heads) {
    if (layer == kAllLayers || head.layer == layer) heads.push_back(&head);
  }
  if (heads.empty()) {
    throw UsageError("no layer {}; set '{}' has {}", layer, set.kind, layers_text(set));
  }
  if (options.aggregate != Aggregate::head) return heads;
  if (layer == kAllLayers) {
    throw UsageError(
        "one head is of one layer; all layers are for mean and max, and set '{}' has {}", set.kind,
        layers_text(set));
  }
  const auto found = std::ranges::find(heads, options.head, &TracedHead::head);
  if (found == heads.end()) {
    std::vector<std::string> names;
    names.reserve(heads.size());
    for (const TracedHead* head : heads) names.push_back(fmt::format("{}", head->head));
    throw UsageError("no head {}; layer {} of set '{}' has head{} {}", options.head, layer,
                     set.kind, names.size() == 1 ? "" : "s", join(names, ", "));
  }
  return {*found};
}

std::string title_of(const AttentionSet& set, std::span<const TracedHead* const> heads,
                     const MatrixViewOptions& options) {
  const std::string layers = options.layer == kAllLayers
                                 ? layers_text(set)
                                 : fmt::format("layer {}", heads.front()->layer);
  if (heads.size() == 1) {
    const TracedHead& head = *heads[0];
    return fmt::format("{}, {}, head {}{}{}", set.kind, layers, head.head,
                       head.learnt.empty() ? "" : ", ", head.learnt);
  }
  const std::string_view name = options.aggregate == Aggregate::max ? "largest" : "mean";
  return fmt::format("{}, {}, {} of {} heads", set.kind, layers, name, heads.size());
}

// What heads have in common, [Q,K] in rows.
std::vector<double> together(std::span<const TracedHead* const> heads, Aggregate aggregate) {
  std::vector<double> all(static_cast<std::size_t>(heads[0]->weights.size()));
  std::vector<int> seen(all.size());
  for (const TracedHead* head : heads) {
    const std::vector<Real> weights = head->weights.values();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::isnan(weights[i])) continue;
      const double weight = weights[i];
      ++seen[i];
      all[i] = aggregate == Aggregate::max ? std::max(all[i], weight) : all[i] + weight;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (seen[i] == 0) {
      all[i] = kMasked;
    } else if (aggregate != Aggregate::max) {
      all[i] /= static_cast<double>(heads.size());
    }
  }
  return all;
}

std::vector<double> with_signs(const AttentionSet& set) {
  const std::vector<Real> shares = signed_shares(set).values();
  return {shares.begin(), shares.end()};
}

// Sums over the keys of a word, means over its queries; a masked piece adds nothing, and what has
// no other is masked.
Tensor grouped(const std::vector<double>& weights, std::int64_t width,
               std::span<const Group> queries, std::span<const Group> keys) {
  Tensor result(
      {static_cast<std::int64_t>(queries.size()), static_cast<std::int64_t>(keys.size())});
  Real* cell = result.mutable_data();
  for (const Group& query : queries) {
    for (const Group& key : keys) {
      double sum = 0;
      bool seen = false;
      for (const std::int64_t q : query.tokens) {
        for (const std::int64_t k : key.tokens) {
          const double weight = weights[static_cast<std::size_t>(q * width + k)];
          if (std::isnan(weight)) continue;
          seen = true;
          sum += weight;
        }
      }
      *cell++ = seen ? static_cast<Real>(sum / static_cast<double>(query.tokens.size())) : kMasked;
    }
  }
  return result;
}

void normalise_lines(Tensor& weights, Normalise normalise) {
  if (normalise == Normalise::none) return;
  const std::int64_t rows = weights.size(0), columns = weights.size(1);
  const bool by_row = normalise == Normalise::rows;
  Real* cells = weights.mutable_data();
  for (std::int64_t line = 0; line < (by_row ? rows : columns); ++line) {
    Real* first = cells + (by_row ? line * columns : line);
    const std::int64_t count = by_row ? columns : rows, step = by_row ? 1 : columns;
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!std::isnan(first[i * step])) sum += first[i * step];
    }
    for (std::int64_t i = 0; sum > 0 && i < count; ++i) {
      first[i * step] = static_cast<Real>(first[i * step] / sum);
    }
  }
}

std::vector<std::string> labels_of_groups(std::span<const Group> groups) {
  std::vector<std::string> labels;
  for (const Group& group : groups) labels.push_back(group.label);
  return labels;
}

}  // namespace

const std::vector<std::string>& normalise_names() {
  static const std::vector<std::string> names = {"none", "rows", "columns"};
  return names;
}

const AttentionSet& set_of(const TracedExample& example, const std::string& kind) {
  std::vector<std::string> kinds;
  for (const AttentionSet& set : example.attentions) kinds.push_back(set.kind);
  if (kinds.empty()) throw UsageError("example '{}' has no attention", example.title);
  const auto find = [&](const std::string& name) {
    return std::ranges::find(example.attentions, name, &AttentionSet::kind);
  };
  if (!kind.empty()) {
    const auto found = find(kind);
    if (found != example.attentions.end()) return *found;
    throw UsageError("no set '{}'; this trace has {}", kind, join(kinds, ", "));
  }
  for (const char* first : {"cross", "pooling"}) {
    if (const auto found = find(first); found != example.attentions.end()) return *found;
  }
  return example.attentions.front();
}

MatrixView matrix_view(const TracedExample& example, const MatrixViewOptions& options) {
  const AttentionSet& set = set_of(example, options.set);
  const std::vector<const TracedHead*> heads = heads_of(set, options);
  const TokenStrip& query_strip = strip_of(example, set.queries);
  const TokenStrip& key_strip = strip_of(example, set.keys);
  const std::vector<Group> queries = groups_of(query_strip, options);
  const std::vector<Group> keys = groups_of(key_strip, options);
  // Two heads that are one share, as far as nobody asks for one of them.
  const bool has_signs = is_signed(set) && options.aggregate != Aggregate::head;
  MatrixView view{
      .title = has_signs ? set.kind : title_of(set, heads, options),
      .query_strip = set.queries,
      .key_strip = set.keys,
      .queries = labels_of_groups(queries),
      .keys = labels_of_groups(keys),
      .weights = grouped(has_signs ? with_signs(set) : together(heads, options.aggregate),
                         static_cast<std::int64_t>(key_strip.tokens.size()), queries, keys),
      .chooses = chooses_keys(set)};
  normalise_lines(view.weights, options.normalise);
  Real* cells = view.weights.mutable_data();
  for (std::int64_t i = 0; i < view.weights.size(); ++i) {
    if (std::abs(cells[i]) < options.threshold) cells[i] = 0;
  }
  return view;
}

}  // namespace heed::insight
