// SPDX-License-Identifier: Apache-2.0
// The adding problem (Hochreiter & Schmidhuber 1997): add the two marked numbers of a sequence.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/random.h"

namespace heed::tasks {

// A batch of B sequences of T steps. Each step carries a number uniform in [0, 1) and a mark that
// is 1 at exactly two steps, one in each half. Always answering 1, the mean, errs by 1/6 in mean
// square.
struct AddingBatch {
  std::vector<float> inputs;   // [T,B,2]: number, mark
  std::vector<float> targets;  // [B]: the sum of the two marked numbers
};

inline constexpr double kAddingBaseline = 1.0 / 6;

// Throws UsageError for fewer than two steps or an empty batch.
AddingBatch adding_batch(std::int64_t steps, std::int64_t batch, Random& random);

}  // namespace heed::tasks
