// SPDX-License-Identifier: Apache-2.0
// What a trace keeps of an attention that has ended.
#include "heed/attention/trace.h"

#include "heed/base/error.h"

namespace heed::attention {

void Trace::attended(const ObservedAttention& observed) {
  if (!observed.weights.defined()) {
    throw UsageError(
        "trace: \"{}\" of layer {} has no weights; trace a model whose attention gives them",
        observed.site.set, observed.site.layer);
  }
  entries_.push_back({observed.site, observed.first_query, observed.weights, observed.densities});
}

}  // namespace heed::attention
