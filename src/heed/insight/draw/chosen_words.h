// SPDX-License-Identifier: Apache-2.0
// Chosen words: where weights choose keys, each for itself, those of at least one half, in runs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heed/insight/trace/trace_document.h"

namespace heed::insight {

// Whether queries of the set choose keys instead of sharing a weight among them, as gates of a
// rationale, chains, spans and budgets do: no weight of a head is above one, and those of some row
// add up to more than one, by 1e-3 for rounding. Weights are those of the trace: what is shown of
// them may be added up or scaled. A choice of a single key looks as a weight that is shared does.
bool chooses_keys(const AttentionSet& set);

// Words begin .. end that follow each other, end not being one of them.
struct WordRun {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const WordRun&) const = default;
};

// Those whose weight is at least one half, neighbours as one run.
std::vector<WordRun> chosen_runs(std::span<const double> weights);

}  // namespace heed::insight
