// SPDX-License-Identifier: Apache-2.0
// At most: k keys or fewer are chosen.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "heed/attention/normalisers/structured_row.h"
#include "heed/attention/normalisers/subset_chart.h"

namespace heed::attention {
namespace {

struct AtMost final : RowStructure {
  std::int64_t k = 2;

  static Card card() {
    return {.name = "at_most",
            .summary =
                "Up to k keys are chosen, none if none is worth it: the probability that "
                "each is.",
            .formula = "p_i = P(z_i = 1), P(z) ∝ exp(Σ s_i z_i) over z with Σ z ≤ k",
            .source = "Chen, Dempster & Liu 1994",
            .promises = {Promise::in_unit_interval, Promise::permutation_equivariant,
                         Promise::symmetric_jacobian},
            .examples = {"k=1", "k=5"}};
  }
  void declare(Options& options) { options.add("k", k, "how many keys may be chosen").at_least(1); }

  double log_partition(const Row<double>& row) const override {
    return SubsetChart(row.scores, k, SubsetSize::at_most).log_partition();
  }
  void marginals(const Row<double>& row, std::span<double> mu) const override {
    SubsetChart(row.scores, k, SubsetSize::at_most).marginals(mu);
  }
  void marginals_backward(const Row<double>& row, std::span<const double> upstream,
                          const RowGradient<double>& gradient) const override {
    SubsetChart(row.scores, k, SubsetSize::at_most).marginals_along(upstream, gradient.scores);
  }
  // The k highest that are above 0, the first of equals.
  void best(const Row<double>& row, std::span<double> z) const override {
    std::vector<std::size_t> order(z.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return row.scores[a] > row.scores[b]; });
    std::fill(z.begin(), z.end(), 0.0);
    const auto chosen = std::min(order.size(), static_cast<std::size_t>(k));
    for (std::size_t i = 0; i < chosen; ++i) z[order[i]] = row.scores[order[i]] > 0 ? 1 : 0;
  }
  void draw(const Row<double>& row, std::span<double> z) const override {
    SubsetChart(row.scores, k, SubsetSize::at_most).draw(row, z);
  }
  double score(const Row<double>& row, std::span<const double> z) const override {
    const auto chosen = static_cast<std::int64_t>(std::count(z.begin(), z.end(), 1.0));
    return chosen <= k ? inner_product(row.scores, z) : -std::numeric_limits<double>::infinity();
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    expected_choice(*this, row, weights);
  }
  template <typename T>
  void backward(const Row<T>& row, std::span<const T>, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    expected_choice_backward(*this, row, upstream, gradient);
  }
  double maximum(std::span<const double> theta) const {
    return log_partition({.scores = theta, .keys = {}});
  }
};

const ListedNormaliser<AtMost> kListed;

}  // namespace
}  // namespace heed::attention
