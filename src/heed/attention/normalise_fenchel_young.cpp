// SPDX-License-Identifier: Apache-2.0
// Fenchel-Young losses: how far a normaliser's weights are from a target, in the measure of its own
// regulariser.
#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/normalise.h"
#include "heed/base/error.h"
#include "heed/tensor/arithmetic.h"

namespace heed::attention {
namespace {

void check_target(const Normaliser& normaliser, const Variable& scores, const Tensor& target) {
  const std::string& name = normaliser.card().name;
  const double one = 1;
  if (!normaliser.regulariser({&one, 1})) {
    throw UsageError("fenchel_young_loss: {} has no regulariser, so no loss belongs to it", name);
  }
  if (scores.rank() < 1 || scores.shape() != target.shape()) {
    throw UsageError("fenchel_young_loss: scores {} and target {}; it takes [...,keys] twice",
                     scores.shape().text(), target.shape().text());
  }
}

// Throws unless the row is a distribution, to the rounding of a float.
void check_distribution(std::span<const double> row, std::int64_t index) {
  double total = 0;
  for (const double value : row) {
    total += value;
    if (!(value >= 0)) {
      throw UsageError("fenchel_young_loss: row {} of the target holds {}; weights start at 0",
                       index, value);
    }
  }
  if (!(std::abs(total - 1) <= 1e-4)) {
    throw UsageError("fenchel_young_loss: row {} of the target adds up to {}; it must be 1", index,
                     total);
  }
}

}  // namespace

Variable fenchel_young_loss(const Normaliser& normaliser, const Variable& scores,
                            const Tensor& target) {
  check_target(normaliser, scores, target);
  const Tensor z = scores.value().packed(), y = target.packed();
  const std::int64_t columns = z.size(-1);
  Tensor losses(z.shape().without(z.rank() - 1));
  Real* const out = losses.mutable_data();
  std::vector<double> theta(static_cast<std::size_t>(columns)), q(theta.size());
  for (std::int64_t r = 0; columns > 0 && r < losses.size(); ++r) {
    const Real* const row = z.data() + r * columns;
    std::copy_n(y.data() + r * columns, columns, q.begin());
    check_distribution(q, r);
    // The same for all scores less their maximum, and no digits are lost to a common shift.
    const double top = *std::max_element(row, row + columns);
    double inner = 0;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      theta[i] = row[i] - top;
      if (q[i] > 0) inner += theta[i] * q[i];
    }
    out[r] = static_cast<Real>(*normaliser.maximum(theta) + *normaliser.regulariser(q) - inner);
  }
  const Tensor weights = normalise(normaliser, Variable(z)).value();
  return record("fenchel_young_loss", losses, {scores}, [=](const Tensor& dy) -> Gradients {
    return {(weights - y) * dy.unsqueeze(dy.rank())};
  });
}

}  // namespace heed::attention
