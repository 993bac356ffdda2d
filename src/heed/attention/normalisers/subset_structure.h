// SPDX-License-Identifier: Apache-2.0
// Choices of a number of keys, p(z) ~ exp(<scores, z>) over z with so many ones: what structures of
// exactly k and of at most k keys share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "heed/attention/normalisers/structured_row.h"
#include "heed/attention/normalisers/subset_chart.h"

namespace heed::attention {

template <SubsetSize kSize>
struct SubsetStructure : ExpectedChoice {
  std::int64_t k = 2;

  double log_partition(const Row<double>& row) const override { return chart(row).log_partition(); }
  void marginals(const Row<double>& row, std::span<double> mu) const override {
    chart(row).marginals(mu);
  }
  void marginals_backward(const Row<double>& row, std::span<const double> upstream,
                          const RowGradient<double>& gradient) const override {
    chart(row).marginals_along(upstream, gradient.scores);
  }
  void draw(const Row<double>& row, std::span<double> z) const override { chart(row).draw(row, z); }

 protected:
  // The keys of the k highest scores, the first of equals; all keys where there are no more.
  std::vector<std::size_t> highest(const Row<double>& row) const {
    std::vector<std::size_t> order(row.scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return row.scores[a] > row.scores[b]; });
    order.resize(std::min(order.size(), static_cast<std::size_t>(k)));
    return order;
  }

 private:
  SubsetChart chart(const Row<double>& row) const { return SubsetChart(row.scores, k, kSize); }
};

}  // namespace heed::attention
