// SPDX-License-Identifier: Apache-2.0
// Following weights step by step through the rows of a search.
#include "heed/decoding/attention_path.h"

#include <algorithm>

#include "heed/base/error.h"

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

const std::vector<Entry>& entries_at(const Passage& passage, std::size_t step) {
  const std::vector<Entry>& first = passage.steps[0].entries();
  const std::vector<Entry>& entries = passage.steps[step].entries();
  const bool same = std::ranges::equal(entries, first, [](const Entry& a, const Entry& b) {
    return a.site.layer == b.site.layer && a.site.kind == b.site.kind;
  });
  if (!same) {
    throw InternalError(
        "attention path: {} attentions at step {} and {} at step 0; each step should visit the "
        "same sites in the same order",
        entries.size(), step, first.size());
  }
  return entries;
}

Glance glance(const Passage& passage, std::size_t step, std::size_t site) {
  const Entry& entry = entries_at(passage, step)[site];
  const Tensor& weights = entry.weights;
  const std::int32_t row = passage.rows[step];
  if (weights.rank() != 4 || weights.size(2) != 1 || row < 0 || row >= weights.size(0)) {
    throw InternalError(
        "attention path: {} of layer {} left weights {} at step {} for row {}; it takes [N,H,1,K]",
        entry.site.kind, entry.site.layer, weights.shape().text(), step, row);
  }
  std::int64_t keys = weights.size(3);
  if (entry.site.kind == kCross && passage.source_length > 0) {
    keys = std::min(keys, passage.source_length);
  }
  return {weights.data() + row * weights.stride(0), weights.size(1), keys, weights.stride(1),
          weights.stride(3)};
}

}  // namespace

std::vector<AttentionPath> follow(const Passage& passage) {
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
    Tensor weights = Tensor::zeros({heads, static_cast<std::int64_t>(length), keys});
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

std::vector<double> coverage(const Passage& passage) {
  std::vector<double> covered;
  std::int64_t heads = 0;
  for (std::size_t step = 0; step < passage.rows.size(); ++step) {
    const std::vector<Entry>& sites = entries_at(passage, step);
    for (std::size_t site = 0; site < sites.size(); ++site) {
      if (sites[site].site.kind != kCross) continue;
      const Glance seen = glance(passage, step, site);
      if (step == 0) heads += seen.heads;
      covered.resize(std::max(covered.size(), static_cast<std::size_t>(seen.keys)));
      for (std::int64_t head = 0; head < seen.heads; ++head) {
        for (std::int64_t key = 0; key < seen.keys; ++key) {
          covered[static_cast<std::size_t>(key)] += seen.at(head, key);
        }
      }
    }
  }
  for (double& sum : covered) sum /= static_cast<double>(heads);
  return covered;
}

}  // namespace heed::decoding
