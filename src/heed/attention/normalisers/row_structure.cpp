// SPDX-License-Identifier: Apache-2.0
// What structures share: log-probabilities, and the entropy of scores that add up key by key.
#include "heed/attention/normalisers/row_structure.h"

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {

double RowStructure::log_probability(const Row<double>& row, std::span<const double> z) const {
  return score(row, z) - log_partition(row);
}

void RowStructure::log_probability_backward(const Row<double>& row, std::span<const double> z,
                                            double upstream,
                                            const RowGradient<double>& gradient) const {
  marginals(row, gradient.scores);
  for (std::size_t i = 0; i < z.size(); ++i) {
    gradient.scores[i] = upstream * (z[i] - gradient.scores[i]);
  }
}

// H = A - <scores, mu>
double RowStructure::entropy(const Row<double>& row) const {
  const auto mu = row_memory<double, Purpose::probabilities>(row.scores.size());
  marginals(row, mu);
  return log_partition(row) - inner_product(row.scores, mu);
}

// dH = mu - mu - J scores, J being symmetric.
void RowStructure::entropy_backward(const Row<double>& row, double upstream,
                                    const RowGradient<double>& gradient) const {
  marginals_backward(row, row.scores, gradient);
  for (double& value : gradient.scores) value *= -upstream;
}

}  // namespace heed::attention
