// SPDX-License-Identifier: Apache-2.0
// Adding statistics up bucket by bucket.
#include "heed/metrics/by_length.h"

#include <algorithm>
#include <map>

#include "heed/base/error.h"
#include "heed/metrics/characters.h"

namespace heed::metrics {

std::vector<LengthBucket> bleu_by_length(std::span<const std::string> sources,
                                         std::span<const BleuStatistics> sentences,
                                         std::int64_t step) {
  if (sources.size() != sentences.size() || step < 1) {
    throw UsageError(
        "BLEU by length: {} sources, {} sentences, buckets of {} words; it takes one source for "
        "each sentence and at least 1 word",
        sources.size(), sentences.size(), step);
  }
  struct Sum {
    BleuStatistics statistics = {};
    std::int64_t sentences = 0;
  };
  std::map<std::int64_t, Sum> sums;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto length = std::max<std::int64_t>(1, std::ssize(words(sources[i])));
    Sum& sum = sums[(length - 1) / step];
    sum.statistics += sentences[i];
    ++sum.sentences;
  }
  std::vector<LengthBucket> buckets;
  for (const auto& [index, sum] : sums) {
    buckets.push_back({.first = index * step + 1,
                       .last = (index + 1) * step,
                       .sentences = sum.sentences,
                       .bleu = bleu_of(sum.statistics)});
  }
  return buckets;
}

}  // namespace heed::metrics
