// SPDX-License-Identifier: Apache-2.0
// A neural Turing machine that is trained in a moment.
#pragma once

#include <filesystem>

#include "heed/pipeline/machine/machine_options.h"

namespace heed::pipeline::testing {

// Copies up to four vectors of three bits.
inline void set_small(MachineOptions& options, const std::filesystem::path& folder) {
  options.bits = 3;
  options.longest = 4;
  options.batch = 16;
  options.valid_sequences = 20;
  options.model.machine.hidden = 32;
  options.model.machine.slots = 12;
  options.model.machine.width = 6;
  options.trainer.max_updates = 20;
  options.trainer.schedule.peak = .005;
  options.out = (folder / "machine").string();
}

}  // namespace heed::pipeline::testing
