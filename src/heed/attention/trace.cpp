// SPDX-License-Identifier: Apache-2.0
// What a trace keeps of an attention that has ended.
#include "heed/attention/trace.h"

#include "heed/base/error.h"

namespace heed::attention {

void Trace::looked(const Looked& looked) {
  if (!looked.weights.defined()) {
    throw UsageError(
        "trace: \"{}\" of layer {} has no weights; trace a model whose attention gives them",
        looked.site.set, looked.site.layer);
  }
  add(looked.site, looked.first_query, looked.weights);
}

}  // namespace heed::attention
