// SPDX-License-Identifier: Apache-2.0
// Regions: their areas, and how much of the cells of a grid they cover.
#include "heed/corpora/scenes/pictured.h"

#include <algorithm>

namespace heed::corpora {

std::int64_t Region::area() const {
  std::int64_t sum = 0;
  for (const PixelRun& run : mask) sum += run.end - run.begin;
  return sum;
}

// A pixel counts for the cell that its middle lies in.
std::vector<double> Region::shares(std::int64_t height, std::int64_t width, std::int64_t rows,
                                   std::int64_t columns) const {
  const auto cell_of = [](std::int64_t pixel, std::int64_t pixels, std::int64_t cells) {
    return (2 * pixel + 1) * cells / (2 * pixels);
  };
  const auto cells = static_cast<std::size_t>(rows * columns);
  std::vector<double> covered(cells, 0), all(cells, 0);
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      all[static_cast<std::size_t>(cell_of(y, height, rows) * columns +
                                   cell_of(x, width, columns))] += 1;
    }
  }
  for (const PixelRun& run : mask) {
    for (std::int64_t pixel = run.begin; pixel < run.end; ++pixel) {
      covered[static_cast<std::size_t>(cell_of(pixel / width, height, rows) * columns +
                                       cell_of(pixel % width, width, columns))] += 1;
    }
  }
  for (std::size_t i = 0; i < cells; ++i) covered[i] = all[i] > 0 ? covered[i] / all[i] : 0;
  return covered;
}

std::vector<PixelRun> runs_of(const std::vector<bool>& mask) {
  std::vector<PixelRun> runs;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]) continue;
    const auto at = static_cast<std::int32_t>(i);
    if (!runs.empty() && runs.back().end == at) {
      ++runs.back().end;
    } else {
      runs.push_back({at, at + 1});
    }
  }
  return runs;
}

}  // namespace heed::corpora
