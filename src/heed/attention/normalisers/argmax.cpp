// SPDX-License-Identifier: Apache-2.0
// Argmax: hard attention to the best key.
#include <algorithm>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

struct Argmax {
  bool straight_through = false;

  static Card card() {
    return {.name = "argmax",
            .summary = "All weight on the best key, the first of equals.",
            .formula = "p = one-hot of the largest z; gradient 0, or g itself (straight-through)",
            .source = "Bengio, Leonard & Courville 2013 (straight-through)",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::sparse, Promise::breaks_ties}};
  }
  void declare(Options& options) {
    options.add("straight-through", straight_through,
                "pass the gradient of the weights on to the scores");
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    one_hot_of_largest(row.scores, weights);
  }
  template <typename T>
  void backward(const Row<T>&, std::span<const T>, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    for (std::size_t i = 0; i < gradient.scores.size(); ++i) {
      gradient.scores[i] = straight_through ? upstream.weights[i] : T{0};
    }
  }

  double regulariser(std::span<const double>) const { return 0; }
  double maximum(std::span<const double> theta) const { return largest(theta); }
};

const ListedNormaliser<Argmax> kListed;

}  // namespace
}  // namespace heed::attention
