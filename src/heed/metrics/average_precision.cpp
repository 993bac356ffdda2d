// SPDX-License-Identifier: Apache-2.0
// One walk down the scores.
#include "heed/metrics/average_precision.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"

namespace heed::metrics {

std::optional<double> average_precision(std::span<const double> scores,
                                        const std::vector<bool>& relevant) {
  if (scores.size() != relevant.size()) {
    throw UsageError("average precision: {} scores for {} items; give each one", scores.size(),
                     relevant.size());
  }
  if (std::ranges::any_of(scores, [](double score) { return std::isnan(score); })) {
    throw UsageError("average precision: a score that is no number");
  }
  const auto all = static_cast<double>(std::ranges::count(relevant, true));
  if (all == 0) return {};
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater<>(), [&](std::size_t i) { return scores[i]; });
  double found = 0, area = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double here = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      here += relevant[order[end]] ? 1 : 0;
    }
    found += here;
    area += here / all * found / static_cast<double>(end);
  }
  return area;
}

}  // namespace heed::metrics
