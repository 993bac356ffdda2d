// SPDX-License-Identifier: Apache-2.0
// Bins, a golden-section search, and a sweep over sorted probabilities.
#include "heed/metrics/calibration.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed::metrics {

std::vector<ReliabilityBin> reliability(std::span<const Judged> judged, std::size_t bins) {
  std::vector<ReliabilityBin> found(std::max<std::size_t>(bins, 1));
  for (const Judged& one : judged) {
    const double place = std::clamp(one.probability, 0.0, 1.0) * static_cast<double>(found.size());
    ReliabilityBin& bin = found[std::min(static_cast<std::size_t>(place), found.size() - 1)];
    ++bin.count;
    bin.confidence += one.probability;
    bin.accuracy += one.right ? 1 : 0;
  }
  for (ReliabilityBin& bin : found) {
    if (bin.count == 0) continue;
    bin.confidence /= static_cast<double>(bin.count);
    bin.accuracy /= static_cast<double>(bin.count);
  }
  return found;
}

double calibration_error(std::span<const Judged> judged, std::size_t bins) {
  double error = 0;
  for (const ReliabilityBin& bin : reliability(judged, bins)) {
    error += static_cast<double>(bin.count) * std::abs(bin.confidence - bin.accuracy);
  }
  return judged.empty() ? 0 : error / static_cast<double>(judged.size());
}

double tempered_loss(std::span<const ScoredExample> examples, double temperature) {
  double lost = 0;
  for (const ScoredExample& example : examples) {
    const double most = *std::ranges::max_element(example.scores);
    double sum = 0;
    for (const double score : example.scores) sum += std::exp((score - most) / temperature);
    lost += std::log(sum) - (example.scores[example.target] - most) / temperature;
  }
  return examples.empty() ? 0 : lost / static_cast<double>(examples.size());
}

double best_temperature(std::span<const ScoredExample> examples) {
  if (examples.empty()) return 1;
  constexpr double kDeviation = .5;  // of log T, before an example is seen
  const auto cost = [&](double log_t) {
    return static_cast<double>(examples.size()) * tempered_loss(examples, std::exp(log_t)) +
           log_t * log_t / (2 * kDeviation * kDeviation);
  };
  // The likelihood has one maximum in 1/T, the prior one in log T, their product may have two: the
  // best of a grid, then golden section beside it.
  constexpr int kSteps = 64;
  const double first = std::log(kLowestTemperature), last = std::log(kHighestTemperature);
  const double step = (last - first) / kSteps;
  double best = first;
  double lowest = cost(first);
  for (int i = 1; i <= kSteps; ++i) {
    const double here = cost(first + step * i);
    if (here >= lowest) continue;
    lowest = here;
    best = first + step * i;
  }
  constexpr double kGolden = std::numbers::phi - 1;
  double low = std::max(first, best - step), high = std::min(last, best + step);
  while (high - low > 1e-6) {
    const double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    if (cost(left) <= cost(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return std::exp((low + high) / 2);
}

ChosenThreshold threshold_for(std::span<const Judged> judged, double accuracy) {
  std::vector<Judged> sorted(judged.begin(), judged.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Judged::probability);
  ChosenThreshold chosen{.threshold = 1};
  double right = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    right += sorted[i].right ? 1 : 0;
    // Predictions of one probability are answered together.
    if (i + 1 < sorted.size() && sorted[i + 1].probability == sorted[i].probability) continue;
    const double share = right / static_cast<double>(i + 1);
    if (share < accuracy) continue;
    chosen = {.threshold = sorted[i].probability,
              .coverage = static_cast<double>(i + 1) / static_cast<double>(sorted.size()),
              .accuracy = share};
  }
  return chosen;
}

}  // namespace heed::metrics
