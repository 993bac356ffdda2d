// SPDX-License-Identifier: Apache-2.0
// Kendall's rank correlation with ties (tau-b): whether two measures put the same things in the
// same order.
#pragma once  // public header

#include <optional>
#include <span>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

struct RankCorrelation {
  double tau = 0;  // -1 reversed, 1 the same order
  double p = 1;    // of a |tau| so large or larger, were the orders independent
};

// Of pairs x_i, y_i, in O(n log n). p is exact for up to 33 pairs without ties, else the normal
// approximation with ties. Nothing where there is no order to compare: fewer than two pairs, or one
// side all equal. UsageError for sides of different lengths, and for NaN.
std::optional<RankCorrelation> kendall(std::span<const double> x, std::span<const double> y);

}  // namespace heed::metrics

#pragma GCC visibility pop
