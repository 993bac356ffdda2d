// SPDX-License-Identifier: Apache-2.0
// BLEU by the length of the source, which tells whether a translator holds out in long sentences.
#pragma once  // public header

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/metrics/bleu.h"

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// Sentences whose source has `first` to `last` words, white space between them.
struct LengthBucket {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t sentences = 0;
  Bleu bleu = {};
};

// Buckets of `step` words, 1 to step first, those without a sentence left out. UsageError unless
// there is a source for each sentence and step is at least 1.
std::vector<LengthBucket> bleu_by_length(std::span<const std::string> sources,
                                         std::span<const BleuStatistics> sentences,
                                         std::int64_t step = 5);

}  // namespace heed::metrics

#pragma GCC visibility pop
