// SPDX-License-Identifier: Apache-2.0
// Calibration: whether a classifier that says .8 is right in 8 of 10 cases, and the temperature
// that brings its probabilities nearer to that (Guo 2017).
#pragma once  // public header

#include <cstddef>
#include <span>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// One prediction: the probability given to the class that was chosen, and whether it was right.
struct Judged {
  double probability = 0;
  bool right = false;
};

struct ReliabilityBin {
  std::size_t count = 0;
  double confidence = 0;  // the mean probability
  double accuracy = 0;    // the share that was right
};

// Predictions by probability, in bins of equal width over [0, 1].
std::vector<ReliabilityBin> reliability(std::span<const Judged> judged, std::size_t bins = 10);

// Expected calibration error: the mean distance of confidence and accuracy, bins weighed by their
// counts. 0 for no predictions.
double calibration_error(std::span<const Judged> judged, std::size_t bins = 10);

// Scores of all classes of one example, and the class that it has.
struct ScoredExample {
  std::vector<double> scores{};
  std::size_t target = 0;
};

// The mean negative log-likelihood of the targets under softmax(scores / temperature).
double tempered_loss(std::span<const ScoredExample> examples, double temperature);

// The temperature that the examples make most likely, between kLowestTemperature and
// kHighestTemperature, to 1e-6. 1 for no examples. Before any is seen, log T is thought to be
// normal around 0 with a deviation of 1/2: twenty right answers of twenty are no proof that none is
// ever wrong, and move it little; two thousand examples decide alone.
inline constexpr double kLowestTemperature = 1.0 / 20;
inline constexpr double kHighestTemperature = 20;
double best_temperature(std::span<const ScoredExample> examples);

// The lowest probability from which on predictions are right at least this often; what it answers
// then. {1, 0} of coverage 0 where none is.
struct ChosenThreshold {
  double threshold = 0;
  double coverage = 0;  // share of the predictions that are at least as probable
  double accuracy = 0;  // of these
};
ChosenThreshold threshold_for(std::span<const Judged> judged, double accuracy);

}  // namespace heed::metrics

#pragma GCC visibility pop
