// SPDX-License-Identifier: Apache-2.0
// Drawing batches of the adding problem.
#include "heed/tasks/adding.h"

#include "heed/base/error.h"

namespace heed::tasks {

AddingBatch adding_batch(std::int64_t steps, std::int64_t batch, Random& random) {
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

}  // namespace heed::tasks
