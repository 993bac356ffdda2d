// SPDX-License-Identifier: Apache-2.0
// What the heads of a model have learnt, at their places in a trace.
#pragma once

#include <vector>

#include "heed/base/exported.h"
#include "heed/insight/describe/description.h"
#include "heed/insight/trace/trace_document.h"

namespace heed::insight {

// Fills TracedHead::learnt of the heads that these are of.
HEED_EXPORTED void add_learnt(TraceDocument& document, const std::vector<LearntHeads>& learnt);

}  // namespace heed::insight
