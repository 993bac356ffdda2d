// SPDX-License-Identifier: Apache-2.0
// Heatmap: weights as rows of shaded cells for a terminal, in colour where it has colours.
//
//            the    cat    sat
//   le     @ .91  - .06    .03
//   chat     .04  @ .90  - .06
#pragma once  // public header

#include <cstddef>
#include <string>
#include <vector>

#include "heed/insight/terminal/shade.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct HeatmapOptions {
  std::vector<std::string> rows = {};     // names of the queries; empty: their numbers
  std::vector<std::string> columns = {};  // names of the keys; empty: their numbers
  Screen screen = {};
  bool masks = false;  // whether NaN stands for a masked key, which is hatched
};

// weights [Q,K] -> lines, each ended. Shades run from 0 to the largest magnitude of all weights,
// and negative weights have a hue (or a minus) of their own. Exact zeros are blank, everything else
// leaves a mark. Cells carry numbers where there is room, and names of keys are written downwards
// over those that are narrower; keys that do not fit beside each other follow in further blocks.
// UsageError for another rank and for names that are not one per row or column.
std::string heatmap(const Tensor& weights, const HeatmapOptions& options = {});

}  // namespace heed::insight

#pragma GCC visibility pop
