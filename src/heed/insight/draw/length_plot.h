// SPDX-License-Identifier: Apache-2.0
// The picture of BLEU by source length: one line per system.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/metrics/by_length.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct LengthSeries {
  std::string name = {};
  std::vector<metrics::LengthBucket> buckets = {};
};

struct LengthPlotOptions {
  std::string title = "BLEU by source length";
  std::int64_t trained = 0;  // lengths beyond this one were not trained: a dashed line; 0: none
};

// An SVG image. UsageError without a bucket to draw.
std::string length_svg(std::span<const LengthSeries> systems,
                       const LengthPlotOptions& options = {});

}  // namespace heed::insight

#pragma GCC visibility pop
