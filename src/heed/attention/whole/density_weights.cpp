// SPDX-License-Identifier: Apache-2.0
// Each query alone, in double.
#include "heed/attention/whole/density_weights.h"

#include <array>
#include <span>

#include "heed/base/threads.h"

namespace heed::attention {
namespace {

using Moments = std::array<double, 5>;

struct DensityRows {
  DensityRows(const Shape& shape, const CellsSeen& cells)
      : heads(shape[1]), queries(shape[2]), rows(shape[0] * shape[1] * shape[2]), cells(cells) {}
  std::int64_t heads, queries, rows;
  const CellsSeen& cells;

  // Calls body(row, keys that are seen) for each that sees any.
  template <typename Body>
  void each(std::int64_t work, const Body& body) const {
    // Some 16,000 operations pay for waking a thread.
    const auto grain = static_cast<std::size_t>(1 + 16384 / std::max<std::int64_t>(1, work));
    parallel_for(static_cast<std::size_t>(rows), grain, [&](std::size_t begin, std::size_t end) {
      for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end);
           ++row) {
        const std::int64_t seen = cells.visible[static_cast<std::size_t>(
            row / (heads * queries) * queries + row % queries)];
        if (seen > 0) body(row, seen);
      }
    });
  }
};

Moments moments_from(const Real* row, std::size_t count) {
  Moments wide{};
  std::copy_n(row, count, wide.begin());
  return wide;
}

// x, y, xx, xy, yy of one cell less those of the mean: d moments / d weight.
Moments moved_by(const std::array<double, 2>& t, const Moments& mean) {
  return {t[0], t[1], t[0] * t[0] - 2 * t[0] * mean[0],
          t[0] * t[1] - t[0] * mean[1] - t[1] * mean[0], t[1] * t[1] - 2 * t[1] * mean[1]};
}

// Which of the five a density has: on a line x and xx.
std::span<const std::size_t> kept_moments(const ValueBasis& basis) {
  static constexpr std::array<std::size_t, 5> kPlane{0, 1, 2, 3, 4};
  static constexpr std::array<std::size_t, 2> kLine{0, 2};
  return basis.plane() ? std::span<const std::size_t>(kPlane) : std::span<const std::size_t>(kLine);
}

}  // namespace

Variable density_moments(const Variable& weights, const CellsSeen& cells) {
  const Tensor w = weights.value().packed();
  const std::int64_t keys = w.size(3);
  const auto kept = kept_moments(*cells.basis);
  const auto count = static_cast<std::int64_t>(kept.size());
  Tensor found = Tensor::zeros({w.size(0), w.size(1), w.size(2), count});
  Real* const out = found.mutable_data();
  DensityRows(w.shape(), cells).each(10 * keys, [&](std::int64_t row, std::int64_t seen) {
    Moments sums{};
    for (std::int64_t l = 0; l < seen; ++l) {
      const double weight = w.data()[row * keys + l];
      const Moments raw = moved_by(cells.basis->place(l, seen), {});
      for (std::size_t m = 0; m < 5; ++m) sums[m] += weight * raw[m];
    }
    sums[2] += kLeastVariance - sums[0] * sums[0];
    sums[3] -= sums[0] * sums[1];
    sums[4] += kLeastVariance - sums[1] * sums[1];
    for (std::size_t m = 0; m < kept.size(); ++m) {
      out[row * count + static_cast<std::int64_t>(m)] = static_cast<Real>(sums[kept[m]]);
    }
  });
  return record(
      "density_moments", found, {weights},
      [cells, w, kept, keys, count](const Tensor& upstream) -> Gradients {
        const Tensor dy = upstream.packed();
        Tensor d_weights = Tensor::zeros(w.shape());
        Real* const dw = d_weights.mutable_data();
        DensityRows(w.shape(), cells).each(20 * keys, [&](std::int64_t row, std::int64_t seen) {
          Moments mean{};
          for (std::int64_t l = 0; l < seen; ++l) {
            const auto t = cells.basis->place(l, seen);
            const double weight = w.data()[row * keys + l];
            mean[0] += weight * t[0];
            mean[1] += weight * t[1];
          }
          for (std::int64_t l = 0; l < seen; ++l) {
            const Moments slope = moved_by(cells.basis->place(l, seen), mean);
            double sum = 0;
            for (std::size_t m = 0; m < kept.size(); ++m) {
              sum += slope[kept[m]] * dy.data()[row * count + static_cast<std::int64_t>(m)];
            }
            dw[row * keys + l] = static_cast<Real>(sum);
          }
        });
        return {d_weights};
      });
}

Variable density_weights(const Variable& moments, const CellsSeen& cells, std::int64_t keys) {
  const Tensor given = moments.value().packed();
  const std::size_t functions = cells.basis->size(), count = cells.basis->moments();
  // A paraboloid costs some forty operations for each function and angle.
  const auto work = static_cast<std::int64_t>(functions) * (cells.basis->plane() ? 2000 : 50);
  Tensor found = Tensor::zeros({given.size(0), given.size(1), given.size(2), keys});
  Real* const out = found.mutable_data();
  DensityRows(given.shape(), cells).each(work, [&](std::int64_t row, std::int64_t seen) {
    const auto g = cells.basis->regression(seen);
    std::vector<double> r(functions);
    const Moments wide = moments_from(given.data() + row * static_cast<std::int64_t>(count), count);
    cells.basis->read({wide.data(), count}, r);
    for (std::int64_t l = 0; l < seen; ++l) {
      const double* const of_cell = g->data() + static_cast<std::size_t>(l) * functions;
      double sum = 0;
      for (std::size_t j = 0; j < functions; ++j) sum += of_cell[j] * r[j];
      out[row * keys + l] = static_cast<Real>(sum);
    }
  });
  return record(
      "density_weights", found, {moments},
      [cells, given, functions, count, work, keys](const Tensor& upstream) -> Gradients {
        const Tensor dy = upstream.packed();
        Tensor d_moments = Tensor::zeros(given.shape());
        Real* const dm = d_moments.mutable_data();
        DensityRows(given.shape(), cells).each(2 * work, [&](std::int64_t row, std::int64_t seen) {
          const auto g = cells.basis->regression(seen);
          std::vector<double> d_r(functions, 0);
          for (std::int64_t l = 0; l < seen; ++l) {
            const double* const of_cell = g->data() + static_cast<std::size_t>(l) * functions;
            const double d_weight = dy.data()[row * keys + l];
            for (std::size_t j = 0; j < functions; ++j) d_r[j] += of_cell[j] * d_weight;
          }
          const auto first = row * static_cast<std::int64_t>(count);
          const Moments wide = moments_from(given.data() + first, count);
          Moments slopes{};
          cells.basis->slopes({wide.data(), count}, d_r, {slopes.data(), count});
          std::copy_n(slopes.begin(), count, dm + first);
        });
        return {d_moments};
      });
}

}  // namespace heed::attention
