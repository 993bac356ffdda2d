// SPDX-License-Identifier: Apache-2.0
// Other weights, over the keys that a query sees.
#include "heed/insight/observe/interventions.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed::insight {
namespace {

using attention::is_masked;
using attention::ObservedWeights;

// A copy of the observed weights, hidden keys 0, after `change` has seen the places of the
// keys of each row that are not hidden, and the row's number.
template <typename Change>
Tensor with_changed_rows(const ObservedWeights& observed, const Change& change) {
  const Tensor masked = observed.masked.packed();
  const std::int64_t keys = masked.size(3);
  Tensor found = Tensor::zeros(masked.shape());
  std::vector<std::int64_t> seen;
  for (std::int64_t row = 0; keys > 0 && row < masked.size() / keys; ++row) {
    const Real* before = masked.data() + row * keys;
    seen.clear();
    for (std::int64_t key = 0; key < keys; ++key) {
      if (!is_masked(before[key])) seen.push_back(key);
    }
    change(row, std::span<const std::int64_t>(seen), before, found.mutable_data() + row * keys);
  }
  return found;
}

}  // namespace

Variable UniformWeights::weights(const ObservedWeights& observed) {
  return with_changed_rows(
      observed, [](std::int64_t, std::span<const std::int64_t> seen, const Real*, Real* row) {
        for (const std::int64_t key : seen) row[key] = 1 / static_cast<Real>(seen.size());
      });
}

Variable PermutedWeights::weights(const ObservedWeights& observed) {
  const std::uint64_t site = std::hash<std::string_view>()(observed.site.set) +
                             static_cast<std::uint64_t>(observed.site.layer);
  // Rows are numbered through all heads and queries of the site, whatever part of them is observed
  // at a time.
  const std::int64_t heads = observed.weights.size(1), queries = observed.weights.size(2);
  return with_changed_rows(observed, [&](std::int64_t row, std::span<const std::int64_t> seen,
                                         const Real* before, Real* after) {
    const std::int64_t query = row % queries, head = row / queries % heads,
                       sequence = observed.first_sequence + row / (queries * heads);
    Random random(seed_ + site, static_cast<std::uint64_t>(sequence) << 40 |
                                    static_cast<std::uint64_t>(observed.first_head + head) << 32 |
                                    static_cast<std::uint64_t>(observed.first_query + query));
    std::vector<std::int64_t> dealt(seen.begin(), seen.end());
    for (std::size_t i = dealt.size(); i > 1; --i) {
      std::swap(dealt[i - 1], dealt[random.integer(i)]);
    }
    for (std::size_t i = 0; i < seen.size(); ++i) after[dealt[i]] = before[seen[i]];
  });
}

GivenWeights::GivenWeights(const attention::Site& site, Variable weights)
    : Intervention([site](const attention::Site& other) { return other == site; }),
      given_(std::move(weights)) {
  if (given_.rank() != 4) {
    throw UsageError("given weights: {}; it takes [B,H,Q,K]", given_.shape().text());
  }
}

Variable GivenWeights::weights(const ObservedWeights& observed) {
  const Shape wanted = observed.weights.shape();
  const std::int64_t last_sequence = observed.first_sequence + wanted[0];
  const std::int64_t last_head = observed.first_head + wanted[1];
  const std::int64_t last_query = observed.first_query + wanted[2];
  if (given_.size(0) < last_sequence || given_.size(1) < last_head || given_.size(2) < last_query ||
      given_.size(3) != wanted[3]) {
    throw UsageError(
        "given weights: {} for \"{}\" of layer {}; it takes [{},{},{},{}], the first three or more",
        given_.shape().text(), observed.site.set, observed.site.layer, last_sequence, last_head,
        last_query, wanted[3]);
  }
  const Variable of_heads = slice(slice(given_, 0, observed.first_sequence, last_sequence), 1,
                                  observed.first_head, last_head);
  Variable mine = slice(of_heads, 2, observed.first_query, last_query);
  const Tensor values = mine.value().packed(), masked = observed.masked.packed();
  for (std::int64_t i = 0; i < values.size(); ++i) {
    if (is_masked(masked.data()[i]) && values.data()[i] != 0) {
      throw UsageError(
          "given weights: {} for key {} that the pattern of \"{}\" hides; give hidden keys 0",
          values.data()[i], i % wanted[3], observed.site.set);
    }
  }
  return mine;
}

Variable ErasedHeads::weights(const ObservedWeights& observed) {
  Tensor kept = Tensor::full({1, observed.weights.size(1), 1, 1}, 1);
  for (const std::int64_t head : heads_) {
    const std::int64_t place = head - observed.first_head;
    if (place >= 0 && place < kept.size()) kept.mutable_data()[place] = 0;
  }
  return observed.weights * Variable(kept);
}

HeadFactors::HeadFactors(std::vector<Entry> entries) : entries_(std::move(entries)) {
  for (const Entry& entry : entries_) {
    if (entry.factors.rank() == 2) continue;
    throw UsageError("factors of heads: {} for \"{}\"; it takes [B,H]",
                     entry.factors.shape().text(), entry.site.set);
  }
}

bool HeadFactors::wants_weights(const attention::Site& site) const {
  return std::ranges::find(entries_, site, &Entry::site) != entries_.end();
}

Variable HeadFactors::weights(const ObservedWeights& observed) {
  const auto entry = std::ranges::find(entries_, observed.site, &Entry::site);
  if (entry == entries_.end()) return observed.weights;
  const std::int64_t sequences = observed.weights.size(0), heads = observed.weights.size(1);
  const std::int64_t last = observed.first_head + heads;
  const Variable& factors = entry->factors;
  const bool one_for_all = factors.size(0) == 1;
  if (factors.size(1) < last ||
      (!one_for_all && factors.size(0) < observed.first_sequence + sequences)) {
    throw UsageError("factors of heads: {} for {} sequences and {} heads of \"{}\"",
                     factors.shape().text(), observed.first_sequence + sequences, last,
                     observed.site.set);
  }
  const Variable rows =
      one_for_all ? factors
                  : slice(factors, 0, observed.first_sequence, observed.first_sequence + sequences);
  const Variable mine = slice(rows, 1, observed.first_head, last);
  return observed.weights * reshape(mine, {mine.size(0), heads, 1, 1});
}

}  // namespace heed::insight
