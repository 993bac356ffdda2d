// SPDX-License-Identifier: Apache-2.0
// What mechanisms of features share: a map phi of queries and of keys, never negative, whose
// products are the weights before they are divided by their sum.
#pragma once

#include <functional>

#include "heed/attention/whole.h"

namespace heed::attention {

struct FeatureMaps {
  std::function<Variable(const Variable&)> query;  // [B,H,Q,D] -> [B,H,Q,F]
  std::function<Variable(const Variable&)> keys;   // [B,G,K,D] -> [B,G,K,F]
};

// [B,H,Q,Dv], by one kernel whose time grows with the keys, not with queries times keys.
Variable feature_context(const FeatureMaps& maps, const WholeCall& call);
// [B,H,Q,K], the matrix it stands for.
Variable feature_weights(const FeatureMaps& maps, const WholeCall& call);
// [B,G,F,Dv+1]: Σ_j phi(k_j) (v_j, 1)ᵀ over the first count[b] keys and those before.
Variable feature_sums(const FeatureMaps& maps, const WholeMemory& memory,
                      const std::vector<std::int64_t>& count);

}  // namespace heed::attention
