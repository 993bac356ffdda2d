// SPDX-License-Identifier: Apache-2.0
// The adding problem (Hochreiter & Schmidhuber 1997): add the two marked numbers of a sequence.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed::test {

// A batch of B sequences of T steps. Each step carries a number uniform in [0, 1) and a mark that
// is 1 at exactly two steps, one in each half. Always answering 1, the mean, errs by 1/6 in mean
// square.
struct AddingBatch {
  std::vector<float> inputs;   // [T,B,2]: number, mark
  std::vector<float> targets;  // [B]: the sum of the two marked numbers
};

inline constexpr double kAddingBaseline = 1.0 / 6;

// Throws UsageError for fewer than two steps or an empty batch.
inline AddingBatch adding_batch(std::int64_t steps, std::int64_t batch, Random& random) {
  if (steps < 2 || batch < 1) {
    throw UsageError("adding: {} steps, {} sequences; it takes at least 2 steps and 1 sequence",
                     steps, batch);
  }
  AddingBatch drawn;
  drawn.inputs.assign(static_cast<std::size_t>(steps * batch * 2), 0.0f);
  drawn.targets.assign(static_cast<std::size_t>(batch), 0.0f);
  const auto number = [&](std::int64_t step, std::int64_t sequence) -> float& {
    return drawn.inputs[static_cast<std::size_t>((step * batch + sequence) * 2)];
  };
  for (std::int64_t sequence = 0; sequence < batch; ++sequence) {
    for (std::int64_t step = 0; step < steps; ++step)
      number(step, sequence) = random.uniform<float>();
    const std::int64_t half = steps / 2;
    const auto first = static_cast<std::int64_t>(random.integer(static_cast<std::uint64_t>(half)));
    const auto second =
        half + static_cast<std::int64_t>(random.integer(static_cast<std::uint64_t>(steps - half)));
    for (const std::int64_t step : {first, second}) {
      (&number(step, sequence))[1] = 1;
      drawn.targets[static_cast<std::size_t>(sequence)] += number(step, sequence);
    }
  }
  return drawn;
}

}  // namespace heed::test
