// SPDX-License-Identifier: Apache-2.0
// Continuous attention as recorded ops: weights of cells to the mean and covariance of a density,
// and that density back to weights of the cells' values. Letters as in score.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heed/attention/whole/value_basis.h"
#include "heed/autograd/variable.h"

namespace heed::attention {

// What is added to a variance, so that weight on a single cell still gives a density.
inline constexpr double kLeastVariance = sizeof(Real) == 8 ? 1e-6 : 1e-4;

// Where the cells lie that each query sees: visible [B,Q] as WholeCall has it.
struct CellsSeen {
  std::shared_ptr<const ValueBasis> basis;
  std::vector<std::int64_t> visible;
};

// weights [B,H,Q,K] that add up to 1 over what a query sees -> moments [B,H,Q,M] of the places of
// the cells, with kLeastVariance; zeros for a query that sees nothing.
Variable density_moments(const Variable& weights, const CellsSeen& cells);

// moments [B,H,Q,M] -> G r [B,H,Q,keys], 0 beyond what a query sees: the weights with which values
// add up to the mean of their function under the density. Some may be a little below 0.
Variable density_weights(const Variable& moments, const CellsSeen& cells, std::int64_t keys);

}  // namespace heed::attention
