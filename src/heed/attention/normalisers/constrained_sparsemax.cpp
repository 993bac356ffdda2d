// SPDX-License-Identifier: Apache-2.0
// Constrained sparsemax: sparsemax with an upper bound on each weight.
#include <algorithm>

#include "heed/attention/normalisers/clipped_projection.h"
#include "heed/attention/normalisers/row_math.h"
#include "heed/attention/normalisers/weight_bound.h"

namespace heed::attention {
namespace {

struct ConstrainedSparsemax {
  static constexpr bool kTakesBounds = true;
  WeightBound bound;

  static Card card() {
    return {.name = "constrained_sparsemax",
            .summary =
                "Sparsemax whose weights stay below a bound, one for all keys or one for each; "
                "when the bounds add up to less than 1 the weights are the bounds.",
            .formula = "p = clip(z - τ, 0, u), Σ p = 1",
            .source = "Malaviya, Ferreira & Martins 2018",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::sparse}};
  }
  void declare(Options& options) { bound.declare(options); }
  void check(std::int64_t n) const { bound.check("constrained_sparsemax", n); }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    const std::size_t n = weights.size();
    const auto z = row_memory<double, Purpose::probabilities>(n);
    const auto p = row_memory<double, Purpose::bounds>(n);
    std::copy(row.scores.begin(), row.scores.end(), z.begin());
    for (std::size_t i = 0; i < n; ++i) p[i] = std::min<double>(bound.of(row, i), 1);
    clipped_projection(z, p, 1, p);
    std::transform(p.begin(), p.end(), weights.begin(),
                   [](double value) { return static_cast<T>(value); });
  }

  // m = mean of g over 0 < p < u: dz = g - m there, du = g - m where p = u.
  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    const std::span<const T> g = upstream.weights;
    const auto is_bound = [&](std::size_t i) { return weights[i] >= bound.of(row, i); };
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!(weights[i] > 0) || is_bound(i)) continue;
      sum += g[i];
      count += 1;
    }
    const double mean = count > 0 ? sum / count : 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const bool free = weights[i] > 0 && !is_bound(i);
      gradient.scores[i] = free ? static_cast<T>(g[i] - mean) : T{0};
      if (!gradient.bounds.empty() && is_bound(i)) {
        gradient.bounds[i] += static_cast<T>(g[i] - mean);
      }
    }
  }
};

const ListedNormaliser<ConstrainedSparsemax> kListed;

}  // namespace
}  // namespace heed::attention
