// SPDX-License-Identifier: Apache-2.0
// Counting the links that two alignments share.
#include "heed/metrics/alignment.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

double AlignmentScore::precision() const {
  return share(found_possible, found);
}

double AlignmentScore::recall() const {
  return share(found_sure, sure);
}

double AlignmentScore::error_rate() const {
  return found + sure > 0 ? 1 - share(found_sure + found_possible, found + sure) : 0;
}

AlignmentScore alignment_score(std::span<const text::Alignment> found,
                               std::span<const text::Alignment> gold) {
  if (found.size() != gold.size()) {
    throw UsageError("alignments: {} found, {} gold; it takes one for each", found.size(),
                     gold.size());
  }
  AlignmentScore score;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const text::Link& link : gold[i]) score.sure += link.sure;
    for (const text::Link& link : found[i]) {
      ++score.found;
      const auto same = std::ranges::find_if(gold[i], [&](const text::Link& other) {
        return link.source == other.source && link.target == other.target;
      });
      if (same == gold[i].end()) continue;
      ++score.found_possible;
      score.found_sure += same->sure;
    }
  }
  return score;
}

}  // namespace heed::metrics
