// SPDX-License-Identifier: Apache-2.0
// From paths by site to sets of heads between strips.
#include "heed/pipeline/tracing.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

const insight::TokenStrip* find_strip(const insight::TracedExample& example,
                                      std::string_view name) {
  const auto found = std::ranges::find(example.strips, name, &insight::TokenStrip::name);
  return found == example.strips.end() ? nullptr : &*found;
}

// The set of this name, made if there is none.
insight::AttentionSet& set_of(insight::TracedExample& example, const attention::Site& site,
                              const std::string& name) {
  const auto found = std::ranges::find(example.attentions, name, &insight::AttentionSet::kind);
  if (found != example.attentions.end()) return *found;
  return example.attentions.emplace_back(insight::AttentionSet{.kind = name,
                                                               .queries = std::string(site.queries),
                                                               .keys = std::string(site.keys),
                                                               .stepwise = site.stepwise});
}

// What overshoots to below 0, as a function fitted to values does (continuous attention), is shown
// as 0 where it is small beside the row's largest weight. weights [Q,K].
Tensor without_overshoot(const Tensor& weights) {
  Tensor shown = weights.packed().clone();
  const std::int64_t keys = shown.size(1);
  for (std::int64_t q = 0; q < shown.size(0); ++q) {
    const std::span<Real> row(shown.mutable_data() + q * keys, static_cast<std::size_t>(keys));
    Real largest = 0;
    for (const Real weight : row) largest = std::max(largest, attention::share_of(weight));
    for (Real& weight : row) {
      if (weight < 0 && -weight <= largest / 2) weight = 0;
    }
  }
  return shown;
}

}  // namespace

void add_attentions(insight::TracedExample& example,
                    std::span<const decoding::AttentionPath> paths) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const decoding::AttentionPath& path = paths[i];
    const attention::Site& site = path.site;
    const insight::TokenStrip* queries = find_strip(example, site.queries);
    const insight::TokenStrip* keys = find_strip(example, site.keys);
    if (queries == nullptr || keys == nullptr || queries->tokens.empty() || keys->tokens.empty()) {
      continue;
    }
    const auto rows = static_cast<std::int64_t>(queries->tokens.size());
    const auto columns = static_cast<std::int64_t>(keys->tokens.size());
    if (path.weights.size(1) < rows || path.weights.size(2) < columns) {
      throw InternalError("tracing: \"{}\" left weights {} for {} tokens of {} and {} of {}",
                          site.set, path.weights.shape().text(), rows, site.queries, columns,
                          site.keys);
    }
    const auto before = std::ranges::count(paths.first(i), site, &decoding::AttentionPath::site);
    insight::AttentionSet& set = set_of(
        example, site,
        before == 0 ? std::string(site.set) : fmt::format("{} of model {}", site.set, before + 1));
    const Tensor weights = decoding::cut(path, rows, columns).weights;
    for (int head = 0; head < weights.size(0); ++head) {
      set.heads.push_back({site.layer, head, without_overshoot(weights.select(0, head))});
    }
  }
}

std::vector<std::string> pieces_of(const text::Tokeniser& tokeniser,
                                   std::span<const text::Token> tokens,
                                   std::span<const std::string> own) {
  std::vector<std::string> pieces;
  for (const text::Token token : tokens) {
    pieces.push_back(token < tokeniser.size()
                         ? tokeniser.piece(token)
                         : own[static_cast<std::size_t>(token - tokeniser.size())]);
  }
  return pieces;
}

std::vector<int> padded_words(std::vector<int> words, std::size_t tokens) {
  words.resize(tokens, -1);
  return words;
}

void check_attends(const insight::TracedExample& example, const std::string& model) {
  if (!example.attentions.empty()) return;
  throw UsageError("{}: this model has no attention, so that there is nothing to trace", model);
}

}  // namespace heed::pipeline
