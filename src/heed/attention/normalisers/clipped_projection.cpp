// SPDX-License-Identifier: Apache-2.0
// Finds the threshold of a clipped projection by Newton steps on a piecewise linear function, kept
// between two bounds.
#include "heed/attention/normalisers/clipped_projection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

constexpr int kMostSteps = 200;

// The score at which the bounds, taken from the best key down, reach the total. The threshold lies
// at most `total` below it: scores are measured from there, so that no digits are lost however
// large they are.
double pivot_of(std::span<const double> z, std::span<const double> u, double total) {
  const auto order = row_memory<std::uint32_t, Purpose::scores>(z.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return z[a] > z[b]; });
  double reached = 0;
  for (const std::uint32_t i : order) {
    reached += u[i];
    if (reached >= total) return z[i];
  }
  return z[order.back()];
}

}  // namespace

void clipped_projection(std::span<const double> z, std::span<const double> u, double total,
                        std::span<double> p) {
  if (has_nan(z)) {
    std::fill(p.begin(), p.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (std::accumulate(u.begin(), u.end(), 0.0) <= total) {
    std::copy(u.begin(), u.end(), p.begin());
    return;
  }
  const double pivot = pivot_of(z, u, total);
  double low = -total, high = 0, tau = low;
  for (int step = 0; step < kMostSteps; ++step) {
    double sum = 0;
    std::size_t free = 0;  // keys between their bounds
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double r = (z[i] - pivot) - tau;
      sum += std::clamp(r, 0.0, u[i]);
      free += r > 0 && r < u[i];
    }
    if (sum == total) break;
    (sum > total ? low : high) = tau;
    const double newton = free > 0 ? tau + (sum - total) / static_cast<double>(free) : high;
    if (newton == tau) break;
    const bool inside = newton > low && newton < high;
    const double next = inside ? newton : low + (high - low) / 2;
    if (next == low || next == high) break;
    tau = next;
  }
  // tau is right to a few units in the last place: where it leaves a key less than that between
  // itself and a bound, the key is at the bound.
  const double noise = 8 * std::numeric_limits<double>::epsilon() * total;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double r = (z[i] - pivot) - tau;
    p[i] = r <= noise ? 0 : r >= u[i] - noise ? u[i] : r;
  }
}

}  // namespace heed::attention
