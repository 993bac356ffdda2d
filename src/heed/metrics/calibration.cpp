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
  // The loss is convex in b = 1/T: log-sum-exp of scores times b, less a linear term.
  constexpr double kGolden = std::numbers::phi - 1;
  double low = 1.0 / 20, high = 20;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = tempered_loss(examples, 1 / left), at_right = tempered_loss(examples, 1 / right);
  while (high - low > 1e-6) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = tempered_loss(examples, 1 / left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = tempered_loss(examples, 1 / right);
    }
  }
  return 2 / (low + high);
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
