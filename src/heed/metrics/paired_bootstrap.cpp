// SPDX-License-Identifier: Apache-2.0
// Resampling the statistics of sentences.
#include "heed/metrics/paired_bootstrap.h"

#include <algorithm>
#include <vector>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

double score_of(std::span<const BleuStatistics> sentences) {
  BleuStatistics sum;
  for (const BleuStatistics& sentence : sentences) sum += sentence;
  return bleu_of(sum).score;
}

}  // namespace

PairedBootstrap paired_bootstrap(std::span<const BleuStatistics> first,
                                 std::span<const BleuStatistics> second, Random& random,
                                 std::int64_t samples) {
  if (first.size() != second.size() || first.empty() || samples < 1) {
    throw UsageError(
        "paired bootstrap: {} and {} sentences, {} samples; it takes as many of both, and at least "
        "one of each",
        first.size(), second.size(), samples);
  }
  PairedBootstrap result{.first = score_of(first), .second = score_of(second)};
  std::vector<double> differences;
  double wins = 0;  // of the second
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    BleuStatistics a;
    BleuStatistics b;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const auto drawn = static_cast<std::size_t>(random.integer(first.size()));
      a += first[drawn];
      b += second[drawn];
    }
    differences.push_back(bleu_of(b).score - bleu_of(a).score);
    wins += differences.back() > 0 ? 1 : differences.back() == 0 ? 0.5 : 0;
  }
  result.second_wins = wins / static_cast<double>(samples);
  result.first_wins = 1 - result.second_wins;
  std::ranges::sort(differences);
  const std::size_t cut = differences.size() / 40;  // a fortieth at each end
  result.difference_low = differences[cut];
  result.difference_high = differences[differences.size() - 1 - cut];
  return result;
}

}  // namespace heed::metrics
