// SPDX-License-Identifier: Apache-2.0
// None: the scores themselves are the weights.
#include <algorithm>

#include "heed/attention/normaliser.h"

namespace heed::attention {
namespace {

struct None {
  static Card card() {
    return {.name = "none",
            .summary = "The scores themselves.",
            .formula = "p = z",
            .source = "linear attention without a kernel",
            .promises = {Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::may_be_negative}};
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

const ListedNormaliser<None> kListed;

}  // namespace
}  // namespace heed::attention
