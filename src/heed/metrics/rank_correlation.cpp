// SPDX-License-Identifier: Apache-2.0
// Discordant pairs are the inversions that a merge sort finds (Knight 1966).
#include "heed/metrics/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

// Sums over groups of equal values, of their sizes t.
struct Ties {
  double pairs = 0;    // t(t-1)/2
  double triples = 0;  // t(t-1)(t-2)
  double spread = 0;   // t(t-1)(2t+5)
};

// `equal` says whether place i holds the same as place i - 1.
template <class Equal>
Ties ties_of(std::size_t count, Equal equal) {
  Ties ties;
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin + 1;
    while (end < count && equal(end)) ++end;
    const auto size = static_cast<double>(end - begin);
    ties.pairs += size * (size - 1) / 2;
    ties.triples += size * (size - 1) * (size - 2);
    ties.spread += size * (size - 1) * (2 * size + 5);
    begin = end;
  }
  return ties;
}

// Sorts and returns how many pairs stood the wrong way around; equal ones do not.
double sort_and_count(std::span<double> values, std::span<double> room) {
  if (values.size() < 2) return 0;
  const std::size_t half = values.size() / 2;
  double count = sort_and_count(values.first(half), room.first(half));
  count += sort_and_count(values.subspan(half), room.subspan(half));
  std::size_t left = 0, right = half;
  for (double& next : room) {
    if (right == values.size() || (left < half && values[left] <= values[right])) {
      next = values[left++];
    } else {
      count += static_cast<double>(half - left);
      next = values[right++];
    }
  }
  std::ranges::copy(room, values.begin());
  return count;
}

// How likely a random order of n things has at most so many inversions: the numbers of orders with
// k inversions (Mahonian numbers), divided by n! as they grow.
double at_most_inversions(std::size_t n, double inversions) {
  const auto most = static_cast<std::size_t>(inversions);
  std::vector<double> share(most + 1, 0), next(most + 1);
  share[0] = 1;
  for (std::size_t size = 2; size <= n; ++size) {
    double window = 0;
    for (std::size_t k = 0; k <= most; ++k) {
      window += share[k];
      if (k >= size) window -= share[k - size];
      next[k] = window / static_cast<double>(size);
    }
    share.swap(next);
  }
  return std::accumulate(share.begin(), share.end(), 0.0);
}

}  // namespace

std::optional<RankCorrelation> kendall(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) {
    throw UsageError("kendall: {} values beside {}; it takes pairs", x.size(), y.size());
  }
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::ranges::any_of(x, is_nan) || std::ranges::any_of(y, is_nan)) {
    throw UsageError("kendall: a value is NaN, which has no place in an order");
  }
  const std::size_t count = x.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return x[a] != x[b] ? x[a] < x[b] : y[a] < y[b];
  });
  const Ties of_x = ties_of(count, [&](std::size_t i) { return x[order[i]] == x[order[i - 1]]; });
  const Ties of_both = ties_of(count, [&](std::size_t i) {
    return x[order[i]] == x[order[i - 1]] && y[order[i]] == y[order[i - 1]];
  });
  std::vector<double> by_x(count), room(count);
  for (std::size_t i = 0; i < count; ++i) by_x[i] = y[order[i]];
  const double discordant = sort_and_count(by_x, room);
  const Ties of_y = ties_of(count, [&](std::size_t i) { return by_x[i] == by_x[i - 1]; });

  const auto n = static_cast<double>(count);
  const double pairs = n * (n - 1) / 2;
  if (pairs <= of_x.pairs || pairs <= of_y.pairs) return std::nullopt;
  const double difference = pairs - of_x.pairs - of_y.pairs + of_both.pairs - 2 * discordant;
  RankCorrelation found;
  found.tau = std::clamp(difference / std::sqrt(pairs - of_x.pairs) / std::sqrt(pairs - of_y.pairs),
                         -1.0, 1.0);
  constexpr std::size_t kMostExact = 33;
  if (of_x.pairs == 0 && of_y.pairs == 0 && count <= kMostExact) {
    found.p =
        std::min(1.0, 2 * at_most_inversions(count, std::min(discordant, pairs - discordant)));
    return found;
  }
  const double triples = count > 2 ? of_x.triples * of_y.triples / (9 * n * (n - 1) * (n - 2)) : 0;
  const double variance = (n * (n - 1) * (2 * n + 5) - of_x.spread - of_y.spread) / 18 +
                          2 * of_x.pairs * of_y.pairs / (n * (n - 1)) + triples;
  found.p = std::erfc(std::abs(difference) / std::sqrt(variance) / std::numbers::sqrt2);
  return found;
}

}  // namespace heed::metrics
