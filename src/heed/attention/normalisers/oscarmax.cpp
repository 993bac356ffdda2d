// SPDX-License-Identifier: Apache-2.0
// Oscarmax: sparsemax that gives keys of similar scores, wherever they are, equal weight.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "heed/attention/normalisers/row_math.h"
#include "heed/kernels/attention/sparse_rows.h"

namespace heed::attention {
namespace {

// Keys in the order of their scores, and the blocks of this order that share one value.
struct Pooled {
  struct Block {
    double sum = 0;
    std::size_t begin = 0, end = 0;
    double mean() const { return sum / static_cast<double>(end - begin); }
  };
  std::vector<std::uint32_t> order;
  std::vector<Block> blocks;
};

struct Oscarmax {
  double lambda = 0.1;

  static Card card() {
    return {.name = "oscarmax",
            .summary = "Sparse, and keys of similar scores have equal weights: clusters.",
            .formula =
                "p = sparsemax(y), y = decreasing means of z_(k) - λ (n - k) in the order of the "
                "scores",
            .source = "Niculae & Blondel 2017",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::sparse},
            .examples = {"lambda=0.02"}};
  }
  void declare(Options& options) {
    options.add("lambda", lambda, "how strongly keys are clustered").at_least(0);
  }

  // Pool adjacent violators. v_k = z_(k) - lambda (n - k), here without its value at k = 1, which
  // sparsemax does not see.
  template <typename T>
  const Pooled& pool(std::span<const T> scores) const {
    thread_local Pooled pooled;
    const std::size_t n = scores.size();
    pooled.order.resize(n);
    std::iota(pooled.order.begin(), pooled.order.end(), 0u);
    std::stable_sort(pooled.order.begin(), pooled.order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
    const double top = scores[pooled.order[0]];
    pooled.blocks.clear();
    for (std::size_t k = 0; k < n; ++k) {
      const double v = (scores[pooled.order[k]] - top) + lambda * static_cast<double>(k);
      Pooled::Block block{v, k, k + 1};
      while (!pooled.blocks.empty() && pooled.blocks.back().mean() < block.mean()) {
        block.sum += pooled.blocks.back().sum;
        block.begin = pooled.blocks.back().begin;
        pooled.blocks.pop_back();
      }
      pooled.blocks.push_back(block);
    }
    return pooled;
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    if (!is_usable(row.scores)) return fill_with_nan(weights);
    const Pooled& pooled = pool(row.scores);
    const auto y = row_memory<double, Purpose::scores>(weights.size());
    for (const Pooled::Block& block : pooled.blocks) {
      const double value = block.mean();
      for (std::size_t k = block.begin; k < block.end; ++k) y[pooled.order[k]] = value;
    }
    sparsemax_row<T>(y, weights);
  }

  // The gradient of sparsemax, averaged over each block.
  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    kernels::sparsemax_backward(weights.data(), upstream.weights.data(), gradient.scores.data(), 1,
                                weights.size());
    if (!is_usable(row.scores)) return;
    const Pooled& pooled = pool(row.scores);
    for (const Pooled::Block& block : pooled.blocks) {
      double sum = 0;
      for (std::size_t k = block.begin; k < block.end; ++k) sum += gradient.scores[pooled.order[k]];
      const auto mean = static_cast<T>(sum / static_cast<double>(block.end - block.begin));
      for (std::size_t k = block.begin; k < block.end; ++k) gradient.scores[pooled.order[k]] = mean;
    }
  }

  // |p|^2/2 + lambda sum_(i<j) max(p_i, p_j): the k-th largest of n is the larger of n - k pairs.
  double regulariser(std::span<const double> p) const {
    std::vector<double> sorted(p.begin(), p.end());
    std::sort(sorted.begin(), sorted.end());
    double pairs = 0;
    for (std::size_t k = 0; k < sorted.size(); ++k) pairs += static_cast<double>(k) * sorted[k];
    return inner_product(p, p) / 2 + lambda * pairs;
  }
  double maximum(std::span<const double> theta) const {
    std::vector<double> p(theta.size());
    forward(Row<double>{.scores = theta, .keys = {}}, std::span(p));
    return inner_product(std::span<const double>(p), theta) - regulariser(p);
  }
};

const ListedNormaliser<Oscarmax> kListed;

}  // namespace
}  // namespace heed::attention
