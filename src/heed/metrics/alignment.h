// SPDX-License-Identifier: Apache-2.0
// How well found word alignments agree with gold ones (Och & Ney 2003).
//
//   precision = |A in P| / |A|     recall = |A in S| / |S|
//   error rate = 1 - (|A in S| + |A in P|) / (|A| + |S|)
//
// A are the links found, S the sure ones of the gold, P the sure and the possible ones.
#pragma once  // public header

#include <cstdint>
#include <span>

#include "heed/text/pharaoh.h"

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

struct AlignmentScore {
  std::int64_t found = 0;
  std::int64_t sure = 0;
  std::int64_t found_sure = 0;
  std::int64_t found_possible = 0;  // sure ones too

  double precision() const;
  double recall() const;
  double error_rate() const;  // 0 is perfect
};

// Over a corpus: links are counted together, not averaged by sentence. UsageError unless there is
// a gold alignment for each found one.
AlignmentScore alignment_score(std::span<const text::Alignment> found,
                               std::span<const text::Alignment> gold);

}  // namespace heed::metrics

#pragma GCC visibility pop
