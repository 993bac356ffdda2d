// SPDX-License-Identifier: Apache-2.0
// Sums over the numbers of a token.
#include "heed/explain/vectors.h"

#include <cmath>
#include <numeric>

namespace heed::explain {

Vectors scaled(Vectors vectors, double factor) {
  for (std::vector<double>& one : vectors) {
    for (double& number : one) number *= factor;
  }
  return vectors;
}

std::vector<double> products(const Vectors& a, const Vectors& b) {
  std::vector<double> found;
  for (std::size_t t = 0; t < a.size(); ++t) {
    found.push_back(std::inner_product(a[t].begin(), a[t].end(), b[t].begin(), 0.0));
  }
  return found;
}

std::vector<double> lengths(const Vectors& vectors) {
  std::vector<double> found = products(vectors, vectors);
  for (double& one : found) one = std::sqrt(one);
  return found;
}

}  // namespace heed::explain
