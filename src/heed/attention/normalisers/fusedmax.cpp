// SPDX-License-Identifier: Apache-2.0
// Fusedmax: sparsemax that gives neighbouring keys equal weight.
#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/normalisers/row_math.h"
#include "heed/attention/normalisers/total_variation.h"
#include "heed/kernels/attention/sparse_rows.h"

namespace heed::attention {
namespace {

// Where runs of neighbours with one value end; this thread's, so that rows allocate nothing.
std::vector<std::size_t>& run_ends() {
  thread_local std::vector<std::size_t> ends;
  return ends;
}

struct Fusedmax {
  double lambda = 0.1;
  double gamma = 1;

  static Card card() {
    return {
        .name = "fusedmax",
        .summary = "Sparse, and neighbours tend to have equal weights: segments.",
        .formula = "p = sparsemax(y), y = argmin |y - z/γ|²/2 + (λ/γ) Σ |y_j - y_(j-1)|",
        .source = "Niculae & Blondel 2017",
        .promises = {Promise::sums_to_one, Promise::shift_invariant, Promise::reversal_equivariant,
                     Promise::symmetric_jacobian, Promise::sparse},
        .examples = {"lambda=0.5, gamma=0.7"}};
  }
  void declare(Options& options) {
    options.add("lambda", lambda, "how strongly neighbours are fused").at_least(0);
    options.add("gamma", gamma, "how far the weights spread").above(0);
  }

  // The fused scores of a row, and in run_ends() their runs.
  template <typename T>
  std::span<double> fused(std::span<const T> scores) const {
    const auto y = row_memory<double, Purpose::scores>(scores.size());
    const double top = largest(scores), strength = lambda / gamma;
    // A score so far below the maximum has no weight and pulls its neighbours with full strength
    // already: cutting it there changes no weight, and sums keep their digits at any scale.
    const double lowest = -(8 * strength + 4);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::max((scores[i] - top) / gamma, lowest);
    total_variation_prox(y, strength, y, run_ends());
    return y;
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    if (!is_usable(row.scores)) return fill_with_nan(weights);
    sparsemax_row<T>(fused(row.scores), weights);
  }

  // The gradient of sparsemax, averaged over each run, / gamma.
  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    kernels::sparsemax_backward(weights.data(), upstream.weights.data(), gradient.scores.data(), 1,
                                weights.size());
    if (!is_usable(row.scores)) return;
    fused(row.scores);
    std::size_t begin = 0;
    for (const std::size_t end : run_ends()) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += gradient.scores[i];
      const auto mean = static_cast<T>(sum / static_cast<double>(end - begin) / gamma);
      for (std::size_t i = begin; i < end; ++i) gradient.scores[i] = mean;
      begin = end;
    }
  }

  double regulariser(std::span<const double> p) const {
    double variation = 0;
    for (std::size_t i = 1; i < p.size(); ++i) variation += std::abs(p[i] - p[i - 1]);
    return gamma * inner_product(p, p) / 2 + lambda * variation;
  }
  double maximum(std::span<const double> theta) const {
    std::vector<double> p(theta.size());
    forward(Row<double>{.scores = theta, .keys = {}}, std::span(p));
    return inner_product(std::span<const double>(p), theta) - regulariser(p);
  }
};

const ListedNormaliser<Fusedmax> kListed;

}  // namespace
}  // namespace heed::attention
