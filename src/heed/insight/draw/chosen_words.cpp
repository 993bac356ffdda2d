// SPDX-License-Identifier: Apache-2.0
// Sums of rows tell choices from shares, halves tell what is chosen.
#include "heed/insight/draw/chosen_words.h"

#include <cmath>

namespace heed::insight {
namespace {

constexpr double kRounding = 1e-3;
constexpr double kHalf = .5;

}  // namespace

bool chooses_keys(const AttentionSet& set) {
  bool more_than_one = false;
  for (const TracedHead& head : set.heads) {
    const std::vector<Real> weights = head.weights.values();
    const auto keys = static_cast<std::size_t>(head.weights.size(1));
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i % keys == 0) sum = 0;
      if (std::isnan(weights[i])) continue;
      if (weights[i] > 1 + kRounding) return false;
      sum += weights[i];
      more_than_one |= sum > 1 + kRounding;
    }
  }
  return more_than_one;
}

std::vector<WordRun> chosen_runs(std::span<const double> weights) {
  std::vector<WordRun> runs;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= kHalf)) continue;
    if (runs.empty() || runs.back().end < i) runs.push_back({i, i});
    runs.back().end = i + 1;
  }
  return runs;
}

}  // namespace heed::insight
