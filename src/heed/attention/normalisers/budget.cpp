// SPDX-License-Identifier: Apache-2.0
// Budget: weights between 0 and 1 that add up to k.
#include <algorithm>
#include <cstdint>

#include "heed/attention/normalisers/clipped_projection.h"
#include "heed/attention/normalisers/row_math.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

struct Budget {
  std::int64_t k = 2;

  static Card card() {
    return {.name = "budget",
            .summary =
                "About k keys are chosen: weights up to 1 that add up to k; 1 each for k keys or "
                "fewer.",
            .formula = "p = clip(z - τ, 0, 1), Σ p = k",
            .source = "Blondel, Martins & Niculae 2020",
            .promises = {Promise::sums_to_k, Promise::in_unit_interval, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::sparse},
            .examples = {"k=1", "k=3"}};
  }
  void declare(Options& options) { options.add("k", k, "what the weights add up to").at_least(1); }
  void check(std::int64_t n) const {
    if (k > n) {
      throw UsageError("budget: k is {}, but there are {} keys; k may be at most the keys", k, n);
    }
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    const std::size_t n = weights.size();
    const auto z = row_memory<double, Purpose::probabilities>(n);
    const auto p = row_memory<double, Purpose::bounds>(n);
    std::copy(row.scores.begin(), row.scores.end(), z.begin());
    std::fill(p.begin(), p.end(), 1.0);
    clipped_projection(z, p, static_cast<double>(k), p);
    std::transform(p.begin(), p.end(), weights.begin(),
                   [](double value) { return static_cast<T>(value); });
  }
  // dz = g - mean of g on the keys strictly between 0 and 1.
  template <typename T>
  void backward(const Row<T>&, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    const auto is_free = [&](std::size_t i) { return weights[i] > 0 && weights[i] < 1; };
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!is_free(i)) continue;
      sum += upstream.weights[i];
      count += 1;
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      gradient.scores[i] = is_free(i) ? static_cast<T>(upstream.weights[i] - sum / count) : T{0};
    }
  }
};

const ListedNormaliser<Budget> kListed;

}  // namespace
}  // namespace heed::attention
