// SPDX-License-Identifier: Apache-2.0
// Matrices of looks.
#include "heed/explain/layers.h"

namespace heed::explain {

std::vector<Tensor> weights_of(const Looks& looks) {
  std::vector<Tensor> all;
  for (const Look& look : looks.layers) all.push_back(look.weights);
  return all;
}

std::vector<Tensor> even_weights_of(const Looks& looks) {
  std::vector<Tensor> all;
  const std::int64_t tokens = looks.tokens();
  for (std::size_t layer = 0; layer < looks.layers.size(); ++layer) {
    Tensor even = Tensor::zeros({1, tokens, tokens});
    for (std::int64_t q = 0; q < tokens; ++q) {
      const std::int64_t seen = looks.causal ? q + 1 : tokens;
      for (std::int64_t k = 0; k < seen; ++k) {
        even.mutable_data()[q * tokens + k] = 1 / static_cast<Real>(seen);
      }
    }
    all.push_back(even);
  }
  return all;
}

std::vector<double> row_times(std::span<const double> row, const Tensor& matrix) {
  const Tensor cells = matrix.packed();
  std::vector<double> found(static_cast<std::size_t>(cells.size(1)), 0);
  const Real* cell = cells.data();
  for (const double weight : row) {
    for (double& mine : found) mine += weight * static_cast<double>(*cell++);
  }
  return found;
}

std::string causal_note(const Looks& looks, const std::string& remedy) {
  if (!looks.causal || looks.layers.empty()) return {};
  return "tokens see none after them, so that early ones collect more whatever is read; " + remedy;
}

}  // namespace heed::explain
