// SPDX-License-Identifier: Apache-2.0
// How tokens are sampled, as command lines, config files and requests say it.
#pragma once

#include "heed/base/options.h"

namespace heed::pipeline {

// Of anything with a temperature, a top_k and a nucleus: decoding::DrawOptions, SamplingOptions.
template <typename Drawing>
void declare_drawing(Drawing& drawing, Options& options) {
  options.add("temperature", drawing.temperature, "sampling: below 1 safer, above 1 more varied")
      .above(0);
  options
      .add("top-k", drawing.top_k,
           "sampling: draw from this many likeliest tokens only (top-k); 0: all")
      .at_least(0);
  options
      .add("nucleus", drawing.nucleus,
           "sampling: draw from the likeliest tokens that together have this probability (top-p, "
           "nucleus); 1: all")
      .above(0)
      .at_most(1);
}

}  // namespace heed::pipeline
