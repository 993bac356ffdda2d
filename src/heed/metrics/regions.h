// SPDX-License-Identifier: Apache-2.0
// Where weights over the cells of an image fall, against the regions that the answer rests on: how
// much of them lies within (mass), and whether the largest does (the pointing game; Zhang 2018),
// beside weights that do not look at the image: all alike, and strongest in the middle.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// Which pixels matter, row by row.
struct GoldMask {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::uint8_t> inside{};

  // All pixels outside.
  static GoldMask empty(std::int64_t height, std::int64_t width);
  // Marks a box, from left and top to before right and bottom; what lies beyond is cut off.
  void add_box(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom);
};

// The same of the cells of a grid over the image.
struct GoldCells {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::uint8_t> covered{};  // at least half of the cell is inside
  std::vector<std::uint8_t> centred{};  // its centre is

  // UsageError for a mask without pixels inside or of another size than it says, and for a grid
  // without cells.
  static GoldCells of(const GoldMask& mask, std::int64_t rows, std::int64_t columns);
};

class RegionScore {
 public:
  // Weights [rows * columns] of one look; what is negative or NaN (a hidden cell) counts as 0.
  // UsageError for another number of weights than cells. Weights that are all 0 are counted apart.
  void add(std::span<const float> weights, const GoldCells& gold);

  std::int64_t looks() const { return looks_; }
  std::int64_t without_weights() const { return without_; }
  // Means over looks, 0 without any. Where several cells have the largest weight, the share of them
  // whose centre is inside.
  double mass() const { return mean(mass_); }
  double pointing() const { return mean(pointing_); }
  double uniform_mass() const { return mean(uniform_mass_); }
  double uniform_pointing() const { return mean(uniform_pointing_); }
  // Weights of a bell around the middle of the image, a quarter of its sides wide.
  double centre_mass() const { return mean(centre_mass_); }
  double centre_pointing() const { return mean(centre_pointing_); }

 private:
  double mean(double sum) const { return looks_ > 0 ? sum / static_cast<double>(looks_) : 0; }

  std::int64_t looks_ = 0, without_ = 0;
  double mass_ = 0, pointing_ = 0, uniform_mass_ = 0, uniform_pointing_ = 0, centre_mass_ = 0,
         centre_pointing_ = 0;
};

}  // namespace heed::metrics

#pragma GCC visibility pop
