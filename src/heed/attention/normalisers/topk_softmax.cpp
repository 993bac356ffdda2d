// SPDX-License-Identifier: Apache-2.0
// Top-k softmax: softmax over the k best keys, nothing for the others.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

struct TopkSoftmax {
  std::int64_t k = 8;

  static Card card() {
    return {.name = "topk_softmax",
            .summary = "Softmax over the k largest scores, the first of equals; 0 elsewhere.",
            .formula = "p = softmax(z on the k largest)",
            .source = "Gupta et al. 2021",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::sparse, Promise::breaks_ties},
            .examples = {"k=1", "k=3"}};
  }
  void declare(Options& options) { options.add("k", k, "how many keys are kept").at_least(1); }

  FusedNormaliser fused() const {
    using Kind = kernels::SparseNormaliser::Kind;
    return {.sparse = kernels::SparseNormaliser{.kind = Kind::topk_softmax,
                                                .k = static_cast<std::size_t>(k)}};
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    const std::size_t n = row.scores.size();
    const auto kept = static_cast<std::size_t>(k);
    // NaN has no place in an order.
    if (has_nan(row.scores)) return fill_with_nan(weights);
    if (kept >= n) {
      softmax_row(row.scores, 1, weights);
      return;
    }
    const auto order = row_memory<std::uint32_t, Purpose::scores>(n);
    std::iota(order.begin(), order.end(), 0u);
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept) - 1,
                     order.end(), [&](std::uint32_t a, std::uint32_t b) {
                       return row.scores[a] != row.scores[b] ? row.scores[a] > row.scores[b]
                                                             : a < b;
                     });
    const auto best = row_memory<T, Purpose::probabilities>(kept);
    for (std::size_t i = 0; i < kept; ++i) best[i] = row.scores[order[i]];
    kernels::softmax(best.data(), best.data(), 1, kept);
    std::fill(weights.begin(), weights.end(), T{0});
    for (std::size_t i = 0; i < kept; ++i) weights[order[i]] = best[i];
  }
  // A key that is not kept has weight 0, which makes softmax's gradient 0 as well.
  template <typename T>
  void backward(const Row<T>&, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    softmax_row_backward(weights, upstream.weights, 1, gradient.scores);
  }
};

const ListedNormaliser<TopkSoftmax> kListed;

}  // namespace
}  // namespace heed::attention
