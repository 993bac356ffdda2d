// SPDX-License-Identifier: Apache-2.0
// Lists of key runs: sets of keys in ascending order, written short. Joining, meeting and measuring
// them touches runs, not keys, wherever one of two runs has the other's step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/attention/pattern.h"

namespace heed::attention {

// The form BoundPattern::runs promises.
using RunList = std::vector<KeyRun>;

// Appends a run that begins after all keys of the list; one without keys changes nothing, one that
// continues with the last run's step lengthens it.
void append_run(RunList& runs, KeyRun run);

// Keys in both lists; keys in either. `result` is neither of them.
void intersect(std::span<const KeyRun> a, std::span<const KeyRun> b, RunList& result);
void unite(std::span<const KeyRun> a, std::span<const KeyRun> b, RunList& result);

// How much of a range of keys, which is not empty, the list holds.
TileCover cover(std::span<const KeyRun> runs, Range keys);

// What two halves of a tile make together.
constexpr TileCover together(TileCover a, TileCover b) {
  return a == b ? a : TileCover::mixed;
}

}  // namespace heed::attention
