// SPDX-License-Identifier: Apache-2.0
// One of the two unknown vectors is eliminated, the longer; the rest is solved by Cholesky.
#include "heed/attention/normalisers/transport_gradient.h"

#include <algorithm>
#include <cmath>

namespace heed::attention {
namespace {

// Solves A x = b, A [n,n] symmetric and not negative, overwritten. What no equation decides is 0:
// the same may be added to all rows and taken from all columns, of each block of the table.
std::vector<double> solve_semidefinite(std::vector<double>& a, std::vector<double> b,
                                       double rounding) {
  const std::size_t n = b.size();
  std::vector<bool> is_decided(n, true);
  for (std::size_t i = 0; i < n; ++i) {
    const double size = a[i * n + i];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (j < i) {
        a[i * n + j] = is_decided[j] ? sum / a[j * n + j] : 0;
      } else {
        is_decided[i] = sum > 100 * rounding * size;
        a[i * n + i] = is_decided[i] ? std::sqrt(sum) : 1;
      }
    }
    if (!is_decided[i]) std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(i * n), i, 0.0);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] = is_decided[i] ? b[i] / a[i * n + i] : 0;
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] = is_decided[i] ? b[i] / a[i * n + i] : 0;
  }
  return b;
}

}  // namespace

std::optional<std::vector<double>> transport_gradient(std::span<const double> weights,
                                                      std::span<const double> upstream,
                                                      std::size_t columns, double rounding) {
  const std::size_t rows = columns == 0 ? 0 : weights.size() / columns;
  if (rows == 0) return std::vector<double>();
  // The shorter axis is solved for, the longer one eliminated.
  const bool by_rows = rows <= columns;
  const std::size_t n = by_rows ? rows : columns, others = by_rows ? columns : rows;
  const auto cell = [&](std::size_t i, std::size_t other) {
    return by_rows ? i * columns + other : other * columns + i;
  };
  std::vector<double> p(weights.size()), sums(n), other_sums(others), h(n), other_h(others);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t other = 0; other < others; ++other) {
      const double weight = p[i * others + other] = weights[cell(i, other)];
      const double product = weight * upstream[cell(i, other)];
      sums[i] += weight;
      other_sums[other] += weight;
      h[i] += product;
      other_h[other] += product;
      largest = std::max(largest, std::abs(product));
    }
  }
  const double share = static_cast<double>(rows) / static_cast<double>(columns);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(std::abs(sums[i] - (by_rows ? 1 : share)) <= rounding)) return std::nullopt;
  }
  for (const double sum : other_sums) {
    if (!(std::abs(sum - (by_rows ? share : 1)) <= rounding)) return std::nullopt;
  }
  std::vector<double> system(n * n), right = h, scaled(p.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t other = 0; other < others; ++other) {
      scaled[i * others + other] = p[i * others + other] / other_sums[other];
      right[i] -= scaled[i * others + other] * other_h[other];
    }
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t other = 0; other < others; ++other) {
        sum += scaled[i * others + other] * p[j * others + other];
      }
      system[i * n + j] = (i == j ? sums[i] : 0) - sum;
    }
  }
  const std::vector<double> a = solve_semidefinite(system, right, rounding);
  std::vector<double> b = other_h, gradient(weights.size());
  for (std::size_t other = 0; other < others; ++other) {
    for (std::size_t i = 0; i < n; ++i) b[other] -= p[i * others + other] * a[i];
    b[other] /= other_sums[other];
  }
  // Rows and columns of the gradient add up to nothing, or the equations were not solved.
  std::vector<double> left(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t other = 0; other < others; ++other) {
      const double weight = p[i * others + other];
      const double slope = weight * (upstream[cell(i, other)] - a[i] - b[other]);
      gradient[cell(i, other)] = slope;
      left[i] += slope;
    }
    if (!(std::abs(left[i]) <= 10 * rounding * largest)) return std::nullopt;
  }
  return gradient;
}

}  // namespace heed::attention
