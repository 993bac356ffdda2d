// SPDX-License-Identifier: Apache-2.0
// The viewer page: a trace, what draws it and the weights of all heads in one HTML file that opens
// without a network.
#pragma once  // public header

#include <string>

#include "heed/insight/trace/trace_document.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct PageOptions {
  std::string title = {};  // empty: the model's name, or "Attention"
  int precision = 8;       // bits a weight: 8 or 16
};

// Weights are written as codes of each head's own scale: 0 is exactly zero, the largest code is
// masked, anything between is a share of the head's largest weight. Nothing that the document says
// is ever run. UsageError for another precision, and for what check() refuses.
std::string page(const TraceDocument& document, const PageOptions& options = {});

}  // namespace heed::insight

#pragma GCC visibility pop
