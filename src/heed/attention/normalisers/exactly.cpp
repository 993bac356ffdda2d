// SPDX-License-Identifier: Apache-2.0
// Exactly: k keys are chosen.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "heed/attention/normalisers/structured_row.h"
#include "heed/attention/normalisers/subset_chart.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

struct Exactly final : RowStructure {
  std::int64_t k = 2;

  static Card card() {
    return {.name = "exactly",
            .summary =
                "Exactly k keys are chosen: the probability that each is; 1 each for k keys or "
                "fewer.",
            .formula = "p_i = P(z_i = 1), P(z) ∝ exp(Σ s_i z_i) over z with Σ z = k",
            .source = "Chen, Dempster & Liu 1994",
            .promises = {Promise::sums_to_k, Promise::in_unit_interval, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian},
            .examples = {"k=1", "k=3"}};
  }
  void declare(Options& options) { options.add("k", k, "how many keys are chosen").at_least(1); }
  void check(std::int64_t n) const {
    if (k > n) {
      throw UsageError("exactly: k is {}, but there are {} keys; k may be at most the keys", k, n);
    }
  }

  double log_partition(const Row<double>& row) const override {
    return SubsetChart(row.scores, k, SubsetSize::exactly).log_partition();
  }
  void marginals(const Row<double>& row, std::span<double> mu) const override {
    SubsetChart(row.scores, k, SubsetSize::exactly).marginals(mu);
  }
  void marginals_backward(const Row<double>& row, std::span<const double> upstream,
                          const RowGradient<double>& gradient) const override {
    SubsetChart(row.scores, k, SubsetSize::exactly).marginals_along(upstream, gradient.scores);
  }
  // The k highest, the first of equals.
  void best(const Row<double>& row, std::span<double> z) const override {
    std::vector<std::size_t> order(z.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return row.scores[a] > row.scores[b]; });
    std::fill(z.begin(), z.end(), 0.0);
    const auto chosen = std::min(order.size(), static_cast<std::size_t>(k));
    for (std::size_t i = 0; i < chosen; ++i) z[order[i]] = 1;
  }
  void draw(const Row<double>& row, std::span<double> z) const override {
    SubsetChart(row.scores, k, SubsetSize::exactly).draw(row, z);
  }
  double score(const Row<double>& row, std::span<const double> z) const override {
    const auto chosen = static_cast<std::int64_t>(std::count(z.begin(), z.end(), 1.0));
    const bool is_choice = chosen == std::min(k, static_cast<std::int64_t>(z.size()));
    return is_choice ? inner_product(row.scores, z) : -std::numeric_limits<double>::infinity();
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

const ListedNormaliser<Exactly> kListed;

}  // namespace
}  // namespace heed::attention
