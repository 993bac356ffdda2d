// SPDX-License-Identifier: Apache-2.0
// Shares taken apart by their sign, and put together again.
#include "heed/insight/trace/signed_set.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed::insight {

AttentionSet signed_set(const std::string& method, const std::string& queries,
                        const std::string& keys, const Tensor& shares) {
  const Tensor cells = shares.packed();
  AttentionSet set{.kind = std::string(kSharesKind) + method, .queries = queries, .keys = keys};
  for (int head = 0; head < 2; ++head) {
    Tensor half(cells.shape());
    std::ranges::transform(cells.span(), half.mutable_data(), [&](Real share) {
      if (attention::is_masked(share)) return kMasked;
      return std::max(head == 0 ? share : -share, Real{0});
    });
    set.heads.push_back({.layer = 0, .head = head, .weights = half});
  }
  return set;
}

bool is_signed(const AttentionSet& set) {
  return set.kind.starts_with(kSharesKind) && set.heads.size() == 2 && set.heads[0].layer == 0 &&
         set.heads[1].layer == 0 && set.heads[0].head == 0 && set.heads[1].head == 1;
}

Tensor signed_shares(const AttentionSet& set) {
  if (!is_signed(set)) throw UsageError("the set '{}' has no sign", set.kind);
  const Tensor speaks_for = set.heads[0].weights.packed(), against = set.heads[1].weights.packed();
  Tensor shares(speaks_for.shape());
  std::ranges::transform(speaks_for.span(), against.span(), shares.mutable_data(),
                         [](Real a, Real b) { return a - b; });  // NaN where both are
  return shares;
}

std::string method_of(const AttentionSet& set) {
  return is_signed(set) ? set.kind.substr(kSharesKind.size()) : set.kind;
}

}  // namespace heed::insight
