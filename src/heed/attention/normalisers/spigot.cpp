// SPDX-License-Identifier: Apache-2.0
// SPIGOT: the best key, learnt by a step back onto the simplex.
#include <algorithm>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

struct Spigot {
  double step = 1;

  static Card card() {
    return {.name = "spigot",
            .summary =
                "All weight on the best key; its gradient is the way to where a step against the "
                "loss lands on the simplex.",
            .formula = "p = one-hot of the largest z; gradient (p - Π(p - ηg))/η, Π = sparsemax",
            .source = "Peng, Thomson & Smith 2018",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::sparse, Promise::breaks_ties,
                         Promise::surrogate_gradient},
            .examples = {"step=0.5"}};
  }
  void declare(Options& options) {
    options.add("step", step, "the step against the loss").above(0);
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    if (has_nan(row.scores)) return fill_with_nan(weights);
    one_hot_of_largest(row.scores, weights);
  }
  template <typename T>
  void backward(const Row<T>&, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    const std::size_t n = weights.size();
    const auto moved = row_memory<double, Purpose::scores>(n);
    const auto landed = row_memory<double, Purpose::gradient>(n);
    for (std::size_t i = 0; i < n; ++i) {
      moved[i] = static_cast<double>(weights[i]) - step * upstream.weights[i];
    }
    sparsemax_row(std::span<const double>(moved), landed);
    for (std::size_t i = 0; i < n; ++i) {
      gradient.scores[i] = static_cast<T>((static_cast<double>(weights[i]) - landed[i]) / step);
    }
  }
};

const ListedNormaliser<Spigot> kListed;

}  // namespace
}  // namespace heed::attention
