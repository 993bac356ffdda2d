// SPDX-License-Identifier: Apache-2.0
// Files of looks at images, of any system: a line of JSON for each, its weights by rows of cells
// and the boxes in which they should lie.
//
//   {"size": [60, 60], "boxes": [[12, 30, 40, 58]], "weights": [[0.1, 0.2], [0.6, 0.1]]}
#pragma once  // public header

#include <string>
#include <string_view>
#include <vector>

#include "heed/metrics/regions.h"

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

struct RegionLine {
  GoldMask mask{};        // of the boxes: left, top, right, bottom in pixels
  std::int64_t rows = 0;  // of cells
  std::int64_t columns = 0;
  std::vector<float> weights{};  // row by row; a hidden cell (null) is NaN
};

// DataError that opens with `where` for what is no such line: other keys, sizes that cannot be,
// boxes without a pixel in the image, weights that are no grid, negative or infinite.
RegionLine parse_region_line(std::string_view line, const std::string& where);
std::string written_region_line(const RegionLine& look,
                                const std::vector<std::vector<std::int64_t>>& boxes);

}  // namespace heed::metrics

#pragma GCC visibility pop
