// SPDX-License-Identifier: Apache-2.0
// Constrained softmax: softmax with an upper bound on each weight.
#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/normalisers/row_math.h"
#include "heed/attention/normalisers/weight_bound.h"

namespace heed::attention {
namespace {

struct ConstrainedSoftmax {
  static constexpr bool kTakesBounds = true;
  WeightBound bound;

  static Card card() {
    return {.name = "constrained_softmax",
            .summary =
                "Softmax whose weights stay below a bound, one for all keys or one for each; when "
                "the bounds add up to less than 1, the weights are the bounds.",
            .formula = "p = min(u, exp(z) (1 - Σ_A u) / Σ_rest exp(z)), A the keys at their bound",
            .source = "Martins & Kreutzer 2017",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian}};
  }
  void declare(Options& options) { bound.declare(options); }
  void check(std::int64_t n) const { bound.check("constrained_softmax", n); }

  // Keys whose share passes their bound are put at it, and the others share what is left, until
  // none passes. Their maximum is taken again each time: what was bound may have been far above.
  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    const std::size_t n = weights.size();
    if (has_nan(row.scores)) return fill_with_nan(weights);
    const auto share = row_memory<double, Purpose::probabilities>(n);
    std::fill(share.begin(), share.end(), 0.0);  // below 0: at its bound
    double left = 1;
    for (bool grown = true; grown;) {
      double top = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < n; ++i) {
        if (share[i] >= 0) top = std::max(top, static_cast<double>(row.scores[i]));
      }
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (share[i] < 0) continue;
        // Equal infinities share alike.
        share[i] = row.scores[i] == top ? 1 : std::exp(row.scores[i] - top);
        sum += share[i];
      }
      grown = false;
      const double scale = std::max(left, 0.0) / sum;
      for (std::size_t i = 0; i < n; ++i) {
        if (share[i] < 0) continue;
        share[i] *= scale;
        if (share[i] <= bound.of(row, i)) continue;
        share[i] = -1;
        left -= bound.of(row, i);
        grown = true;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      weights[i] = share[i] < 0 ? bound.of(row, i) : static_cast<T>(share[i]);
    }
  }

  // m = sum_notA p g / (1 - sum_A u): dz = p (g - m) off the bounds, du = g - m on them.
  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    const std::span<const T> g = upstream.weights;
    const auto is_bound = [&](std::size_t i) { return weights[i] >= bound.of(row, i); };
    double inner = 0, left = 0;  // 1 - sum_A u is the sum of the other weights
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (is_bound(i)) continue;
      inner += static_cast<double>(weights[i]) * g[i];
      left += weights[i];
    }
    const double mean = left > 0 ? inner / left : 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      gradient.scores[i] = is_bound(i) ? T{0} : static_cast<T>(weights[i] * (g[i] - mean));
      if (!gradient.bounds.empty() && is_bound(i)) {
        gradient.bounds[i] += static_cast<T>(g[i] - mean);
      }
    }
  }
};

const ListedNormaliser<ConstrainedSoftmax> kListed;

}  // namespace
}  // namespace heed::attention
