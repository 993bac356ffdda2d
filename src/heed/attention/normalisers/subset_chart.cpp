// SPDX-License-Identifier: Apache-2.0
// Sums over choices of keys: up along the keys in logs, and down from the last one in shares.
#include "heed/attention/normalisers/subset_chart.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/normalisers/log_odds.h"
#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {

SubsetChart::SubsetChart(std::span<const double> scores, std::int64_t k, SubsetSize size)
    : scores_(scores),
      most_(static_cast<std::size_t>(std::min(k, static_cast<std::int64_t>(scores.size())))) {
  const std::size_t n = scores.size(), width = most_ + 1;
  // Twice the chart and five lines: the tangents of marginals_along are in the second half.
  const auto memory = row_memory<double, Purpose::chart>(width * (2 * n + 5));
  shares_ = memory.first(n * width);
  sums_ = memory.subspan(2 * n * width, width);
  counts_ = memory.subspan((2 * n + 1) * width, width);
  sums_[0] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    share(i, 0) = 0;
    for (std::size_t j = std::min(i + 1, most_); j >= 1; --j) {
      const double with = sums_[j - 1] + scores[i];
      if (j == i + 1) {  // all keys so far
        sums_[j] = with;
        share(i, j) = 1;
        continue;
      }
      share(i, j) = probability_of_odds(with - sums_[j]);
      sums_[j] += log_one_plus_exp(with - sums_[j]);
    }
  }
  std::fill(counts_.begin(), counts_.end(), 0.0);
  if (size == SubsetSize::exactly) {
    counts_[most_] = 1;
    log_partition_ = sums_[most_];
    return;
  }
  const double top = largest(std::span<const double>(sums_));
  double sum = 0;
  for (std::size_t j = 0; j < width; ++j) sum += counts_[j] = std::exp(sums_[j] - top);
  for (double& count : counts_) count /= sum;
  log_partition_ = top + std::log(sum);
}

void SubsetChart::marginals(std::span<double> mu) {
  const std::span<double> left = counts_;  // P(j of the keys so far are chosen), key by key
  for (std::size_t i = mu.size(); i-- > 0;) {
    double chosen = 0;
    for (std::size_t j = 1; j <= std::min(i + 1, most_); ++j) {
      const double taken = left[j] * share(i, j);
      chosen += taken;
      left[j] -= taken;
      left[j - 1] += taken;
    }
    mu[i] = std::min(chosen, 1.0);
  }
}

void SubsetChart::marginals_along(std::span<const double> direction, std::span<double> change) {
  const std::size_t n = change.size(), width = most_ + 1;
  const auto memory = row_memory<double, Purpose::chart>(width * (2 * n + 5));
  const std::span<double> share_changes = memory.subspan(n * width, n * width);
  const std::span<double> sum_changes = memory.subspan((2 * n + 2) * width, width);
  const std::span<double> left_changes = memory.subspan((2 * n + 3) * width, width);
  const std::span<double> left = memory.subspan((2 * n + 4) * width, width);
  std::fill(sum_changes.begin(), sum_changes.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = std::min(i + 1, most_); j >= 1; --j) {
      const double p = share(i, j), with = sum_changes[j - 1] + direction[i];
      const double apart = with - sum_changes[j];
      share_changes[i * width + j] = p * (1 - p) * apart;
      sum_changes[j] = j == i + 1 ? with : sum_changes[j] + p * apart;
    }
  }
  double mean = 0;
  for (std::size_t j = 0; j < width; ++j) mean += counts_[j] * sum_changes[j];
  for (std::size_t j = 0; j < width; ++j) left_changes[j] = counts_[j] * (sum_changes[j] - mean);
  std::copy(counts_.begin(), counts_.end(), left.begin());
  for (std::size_t i = n; i-- > 0;) {
    change[i] = 0;
    for (std::size_t j = 1; j <= std::min(i + 1, most_); ++j) {
      const double p = share(i, j), taken = left[j] * p;
      const double taken_change = left_changes[j] * p + left[j] * share_changes[i * width + j];
      change[i] += taken_change;
      left[j] -= taken;
      left[j - 1] += taken;
      left_changes[j] -= taken_change;
      left_changes[j - 1] += taken_change;
    }
  }
}

void SubsetChart::draw(const Row<double>& row, std::span<double> z) {
  // How many; -1 is no key's number, so that no key shares this draw.
  double rest = row.random.uniform(-1);
  std::size_t j = most_;
  while (j > 0 && !(rest < counts_[j])) rest -= counts_[j--];
  for (std::size_t i = z.size(); i-- > 0;) {
    z[i] = j > 0 && row.random.uniform(row.keys[i]) < share(i, j) ? 1 : 0;
    if (z[i] == 1) --j;
  }
}

}  // namespace heed::attention
