// SPDX-License-Identifier: Apache-2.0
// How many patterns an associative memory holds: the share of damaged patterns that come back
// exactly, for random bits of a seed or patterns of one's own.
#pragma once  // public header

#include <cstdint>
#include <vector>

#include "heed/base/random.h"
#include "heed/models/associative_memory.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

enum class HiddenSide { none, top, bottom, left, right };
inline const std::vector<std::string>& hidden_side_names() {
  static const std::vector<std::string> names{"none", "top", "bottom", "left", "right"};
  return names;
}

struct Damage {
  double flip = 0;                     // which part of the units changes its sign
  HiddenSide hide = HiddenSide::none;  // half of a picture that becomes 0
  std::int64_t rows = 1;               // of the picture
};

// The pattern with round(flip N) of its units, drawn without repetition, turned to the other sign,
// and then half of it hidden. UsageError where a picture has no such half.
MemoryPattern damaged(MemoryPattern pattern, const Damage& damage, Random& random);

struct CapacityOptions {
  AssociativeOptions memory{};
  RecallOptions steps{};
  Damage damage{.flip = .1};
  std::int64_t units = 64;      // of random patterns
  std::int64_t recalls = 1000;  // damaged patterns that are given
  std::uint64_t seed = 1;
};

struct CapacityPoint {
  std::int64_t patterns = 0;
  std::int64_t recalls = 0;  // damaged patterns that were given
  double exact = 0;          // which part came back without a wrong unit
  double wrong_units = 0;    // which part of all units was wrong
};

// Of fresh random patterns, in as many memories as it takes; or of the first `patterns` of `own`,
// each damaged once. UsageError for sizes below 1, and where there are not as many.
CapacityPoint capacity(std::int64_t patterns, const CapacityOptions& options,
                       std::span<const MemoryPattern> own = {});

}  // namespace heed::models

#pragma GCC visibility pop
