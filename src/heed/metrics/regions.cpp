// SPDX-License-Identifier: Apache-2.0
// Mass and pointing, of weights and of those that look at nothing.
#include "heed/metrics/regions.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

struct MassAndPointing {
  double mass = 0;
  double pointing = 0;
};

MassAndPointing measured(std::span<const float> weights, const GoldCells& gold) {
  double all = 0, within = 0;
  float largest = 0;
  std::int64_t best = 0, best_within = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const float weight = weights[i] > 0 ? weights[i] : 0;  // NaN is not above 0
    all += static_cast<double>(weight);
    if (gold.covered[i] != 0) within += static_cast<double>(weight);
    if (weight > largest) {
      largest = weight;
      best = best_within = 0;
    }
    if (weight == largest) {
      ++best;
      best_within += gold.centred[i] != 0 ? 1 : 0;
    }
  }
  return {all > 0 ? within / all : 0, static_cast<double>(best_within) / static_cast<double>(best)};
}

std::vector<float> bell(std::int64_t rows, std::int64_t columns) {
  std::vector<float> weights;
  constexpr double kWide = .25;
  const auto place = [](std::int64_t i, std::int64_t n) {
    return ((static_cast<double>(i) + .5) / static_cast<double>(n) - .5) / kWide;
  };
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < columns; ++x) {
      const double down = place(y, rows), across = place(x, columns);
      weights.push_back(static_cast<float>(std::exp(-.5 * (down * down + across * across))));
    }
  }
  return weights;
}

}  // namespace

GoldMask GoldMask::empty(std::int64_t height, std::int64_t width) {
  return {height, width, std::vector<std::uint8_t>(static_cast<std::size_t>(height * width), 0)};
}

void GoldMask::add_box(std::int64_t left, std::int64_t top, std::int64_t right,
                       std::int64_t bottom) {
  for (std::int64_t y = std::max<std::int64_t>(0, top); y < std::min(bottom, height); ++y) {
    for (std::int64_t x = std::max<std::int64_t>(0, left); x < std::min(right, width); ++x) {
      inside[static_cast<std::size_t>(y * width + x)] = 1;
    }
  }
}

GoldCells GoldCells::of(const GoldMask& mask, std::int64_t rows, std::int64_t columns) {
  if (rows < 1 || columns < 1) {
    throw UsageError("gold regions: a grid of {} x {} cells; it takes 1 or more", columns, rows);
  }
  if (std::ssize(mask.inside) != mask.height * mask.width ||
      std::ranges::count(mask.inside, 0) == std::ssize(mask.inside)) {
    throw UsageError(
        "gold regions: {} pixels of a mask of {} x {}, {} of them inside; give one of "
        "its size with some inside",
        mask.inside.size(), mask.width, mask.height,
        std::ssize(mask.inside) - std::ranges::count(mask.inside, 0));
  }
  GoldCells cells{.rows = rows, .columns = columns};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      // Pixels whose centres lie in the cell; of a grid finer than the image, the nearest one.
      const auto range = [](std::int64_t i, std::int64_t cells_of_side, std::int64_t pixels) {
        const std::int64_t begin = i * pixels / cells_of_side;
        return std::pair(begin, std::max(begin + 1, (i + 1) * pixels / cells_of_side));
      };
      const std::pair down = range(row, rows, mask.height);
      const std::pair across = range(column, columns, mask.width);
      std::int64_t count = 0;
      for (std::int64_t y = down.first; y < down.second; ++y) {
        for (std::int64_t x = across.first; x < across.second; ++x) {
          count += mask.inside[static_cast<std::size_t>(y * mask.width + x)] != 0 ? 1 : 0;
        }
      }
      const std::int64_t area = (down.second - down.first) * (across.second - across.first);
      cells.covered.push_back(2 * count >= area ? 1 : 0);
      const std::int64_t middle = (2 * row + 1) * mask.height / (2 * rows) * mask.width +
                                  (2 * column + 1) * mask.width / (2 * columns);
      cells.centred.push_back(mask.inside[static_cast<std::size_t>(middle)] != 0 ? 1 : 0);
    }
  }
  return cells;
}

void RegionScore::add(std::span<const float> weights, const GoldCells& gold) {
  if (weights.size() != gold.covered.size()) {
    throw UsageError("gold regions: {} weights for a grid of {} x {} cells", weights.size(),
                     gold.columns, gold.rows);
  }
  if (std::ranges::none_of(weights, [](float weight) { return weight > 0; })) {
    ++without_;
    return;
  }
  ++looks_;
  const MassAndPointing own = measured(weights, gold);
  mass_ += own.mass;
  pointing_ += own.pointing;
  const MassAndPointing alike = measured(std::vector<float>(weights.size(), 1), gold);
  uniform_mass_ += alike.mass;
  uniform_pointing_ += alike.pointing;
  const MassAndPointing middle = measured(bell(gold.rows, gold.columns), gold);
  centre_mass_ += middle.mass;
  centre_pointing_ += middle.pointing;
}

}  // namespace heed::metrics
