// SPDX-License-Identifier: Apache-2.0
// Following weights step by step through the rows of a search.
#include "heed/decoding/attention_path.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/tensor/join.h"

namespace heed::decoding {
namespace {

using Entry = attention::Trace::Entry;

// The weights of one hypothesis at one site and step: [H,K] within [N,H,1,K].
struct Glance {
  const Real* weights;
  std::int64_t heads;
  std::int64_t keys;
  std::int64_t head_stride;
  std::int64_t key_stride;

  Real at(std::int64_t head, std::int64_t key) const {
    return weights[head * head_stride + key * key_stride];
  }
};

const std::vector<Entry>& entries_at(const HypothesisRows& passage, std::size_t step) {
  const std::vector<Entry>& first = passage.steps[0].entries();
  const std::vector<Entry>& entries = passage.steps[step].entries();
  const bool same = std::ranges::equal(entries, first, {}, &Entry::site, &Entry::site);
  if (!same) {
    throw InternalError(
        "attention path: {} attentions at step {} and {} at step 0; each step should visit the "
        "same sites in the same order",
        entries.size(), step, first.size());
  }
  return entries;
}

Glance glance(const HypothesisRows& passage, std::size_t step, std::size_t site) {
  const Entry& entry = entries_at(passage, step)[site];
  const Tensor& weights = entry.weights;
  const std::int32_t row = passage.rows[step];
  if (weights.rank() != 4 || weights.size(2) != 1 || row < 0 || row >= weights.size(0)) {
    throw InternalError(
        "attention path: {} of layer {} left weights {} at step {} for row {}; it takes [N,H,1,K]",
        entry.site.set, entry.site.layer, weights.shape().text(), step, row);
  }
  std::int64_t keys = weights.size(3);
  const bool reads_source =
      entry.site.role == attention::Role::cross || entry.site.role == attention::Role::copy;
  if (reads_source && passage.source_length > 0) {
    keys = std::min(keys, passage.source_length);
  }
  return {weights.data() + row * weights.stride(0), weights.size(1), keys, weights.stride(1),
          weights.stride(3)};
}

}  // namespace

std::vector<AttentionPath> follow(const HypothesisRows& passage) {
  std::vector<AttentionPath> paths;
  const std::size_t length = passage.rows.size();
  if (length == 0) return paths;
  const std::vector<Entry>& sites = passage.steps[0].entries();
  for (std::size_t site = 0; site < sites.size(); ++site) {
    std::int64_t keys = 0;  // a decoder's own history grows
    for (std::size_t step = 0; step < length; ++step) {
      keys = std::max(keys, glance(passage, step, site).keys);
    }
    const std::int64_t heads = glance(passage, 0, site).heads;
    Tensor weights =
        Tensor::full({heads, static_cast<std::int64_t>(length), keys}, attention::kMasked);
    Real* out = weights.mutable_data();
    for (std::size_t step = 0; step < length; ++step) {
      const Glance seen = glance(passage, step, site);
      for (std::int64_t head = 0; head < heads; ++head) {
        Real* row =
            out +
            (head * static_cast<std::int64_t>(length) + static_cast<std::int64_t>(step)) * keys;
        for (std::int64_t key = 0; key < seen.keys; ++key) row[key] = seen.at(head, key);
      }
    }
    paths.push_back({sites[site].site, std::move(weights)});
  }
  return paths;
}

std::vector<AttentionPath> paths_of(const attention::Trace& trace, std::int64_t row) {
  struct Growing {
    attention::Site site;
    std::vector<Tensor> parts;  // [H,Q,K]
    std::int64_t next = 0;      // where the next query should be
    std::int64_t keys = 0;
  };
  std::vector<Growing> all;
  for (const Entry& entry : trace.entries()) {
    const auto same = std::ranges::find_if(
        all, [&](const Growing& one) { return one.site == entry.site && one.next == entry.step; });
    Growing& mine = same == all.end() ? all.emplace_back() : *same;
    mine.site = entry.site;
    mine.parts.push_back(entry.weights.select(0, row));
    mine.next = entry.step + entry.weights.size(2);
    mine.keys = std::max(mine.keys, entry.weights.size(3));
  }
  std::vector<AttentionPath> paths;
  for (Growing& one : all) {
    for (Tensor& part : one.parts) {
      if (part.size(2) == one.keys) continue;
      const Tensor behind =
          Tensor::full({part.size(0), part.size(1), one.keys - part.size(2)}, attention::kMasked);
      part = concat(std::vector<Tensor>{part, behind}, 2);
    }
    paths.push_back({one.site, concat(one.parts, 1)});
  }
  return paths;
}

AttentionPath cut(const AttentionPath& path, std::int64_t queries, std::int64_t keys) {
  return {path.site, path.weights.slice(1, 0, queries).slice(2, 0, keys).packed()};
}

std::vector<double> coverage(const HypothesisRows& passage) {
  std::vector<double> covered;
  std::int64_t heads = 0;
  for (std::size_t step = 0; step < passage.rows.size(); ++step) {
    const std::vector<Entry>& sites = entries_at(passage, step);
    for (std::size_t site = 0; site < sites.size(); ++site) {
      if (sites[site].site.role != attention::Role::cross) continue;
      const Glance seen = glance(passage, step, site);
      if (step == 0) heads += seen.heads;
      covered.resize(std::max(covered.size(), static_cast<std::size_t>(seen.keys)));
      for (std::int64_t head = 0; head < seen.heads; ++head) {
        for (std::int64_t key = 0; key < seen.keys; ++key) {
          covered[static_cast<std::size_t>(key)] += attention::share_of(seen.at(head, key));
        }
      }
    }
  }
  for (double& sum : covered) sum /= static_cast<double>(heads);
  return covered;
}

}  // namespace heed::decoding
