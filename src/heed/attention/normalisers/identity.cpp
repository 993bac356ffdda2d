// SPDX-License-Identifier: Apache-2.0
// Identity: the scores themselves are the weights.
#include <algorithm>

#include "heed/attention/normaliser.h"

namespace heed::attention {
namespace {

struct Identity {
  static Card card() {
    return {.name = "identity",
            .summary = "The scores themselves.",
            .formula = "p = z",
            .source = "Ba et al. 2016 (fast weights)",
            .promises = {Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::may_be_negative},
            .formerly = "none"};
  }
  void declare(Options&) {}

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    std::ranges::copy(row.scores, weights.begin());
  }
  template <typename T>
  void backward(const Row<T>&, std::span<const T>, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    std::ranges::copy(upstream.weights, gradient.scores.begin());
  }
};

const ListedNormaliser<Identity> kListed;

}  // namespace
}  // namespace heed::attention
