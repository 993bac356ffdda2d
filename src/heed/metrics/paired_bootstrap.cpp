// SPDX-License-Identifier: Apache-2.0
// Resampling the statistics of sentences.
#include "heed/metrics/paired_bootstrap.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

void require_some(std::size_t count, std::int64_t samples) {
  if (count > 0 && samples > 0) return;
  throw UsageError("bootstrap: {} sentences, {} samples; it takes at least one of each", count,
                   samples);
}

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void draw(std::vector<std::size_t>& drawn, Random& random) {
  for (std::size_t& sentence : drawn) {
    sentence = static_cast<std::size_t>(random.integer(drawn.size()));
  }
}

struct Ends {
  double low = 0;
  double high = 0;
};

// All but a fortieth at each end.
Ends middle_of(std::vector<double>& values) {
  std::ranges::sort(values);
  const std::size_t cut = values.size() / 40;
  return {values[cut], values[values.size() - 1 - cut]};
}

SampleMeasure bleu_on(std::span<const BleuStatistics> statistics) {
  return [statistics](std::span<const std::size_t> sentences) {
    BleuStatistics sum;
    for (const std::size_t sentence : sentences) sum += statistics[sentence];
    return bleu_of(sum).score;
  };
}

}  // namespace

PairedBootstrap paired_bootstrap(std::size_t count, const SampleMeasure& first,
                                 const SampleMeasure& second, Random& random,
                                 std::int64_t samples) {
  require_some(count, samples);
  std::vector<std::size_t> drawn = all_of(count);
  PairedBootstrap result{.first = first(drawn), .second = second(drawn)};
  std::vector<double> differences;
  double wins = 0;  // of the second
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    draw(drawn, random);
    differences.push_back(second(drawn) - first(drawn));
    wins += differences.back() > 0 ? 1 : differences.back() == 0 ? 0.5 : 0;
  }
  result.second_wins = wins / static_cast<double>(samples);
  result.first_wins = 1 - result.second_wins;
  const auto [low, high] = middle_of(differences);
  result.difference_low = low;
  result.difference_high = high;
  return result;
}

Interval bootstrap_interval(std::size_t count, const SampleMeasure& measure, Random& random,
                            std::int64_t samples) {
  require_some(count, samples);
  std::vector<std::size_t> drawn = all_of(count);
  const double whole = measure(drawn);
  std::vector<double> values;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    draw(drawn, random);
    values.push_back(measure(drawn));
  }
  const auto [low, high] = middle_of(values);
  return {whole, low, high};
}

PairedBootstrap paired_bootstrap(std::span<const BleuStatistics> first,
                                 std::span<const BleuStatistics> second, Random& random,
                                 std::int64_t samples) {
  if (first.size() != second.size() || first.empty() || samples < 1) {
    throw UsageError(
        "paired bootstrap: {} and {} sentences, {} samples; it takes as many of both, and at least "
        "one of each",
        first.size(), second.size(), samples);
  }
  return paired_bootstrap(first.size(), bleu_on(first), bleu_on(second), random, samples);
}

}  // namespace heed::metrics
