// SPDX-License-Identifier: Apache-2.0
// A pointer network that is trained in a moment.
#pragma once

#include <filesystem>
#include <string>

#include "heed/pipeline/pointer/pointer_options.h"

namespace heed::pipeline::testing {

inline void set_small(PointerOptions& options, const std::filesystem::path& folder) {
  options.task = "sort";
  options.points = 3;
  options.batch = 32;
  options.valid_sets = 200;
  options.model.width = 16;
  options.model.inner = 16;
  options.model.heads = 2;
  options.model.layers = 1;
  options.model.attention = "additive(size=16) | tensor";
  options.trainer.max_updates = 30;
  options.trainer.schedule.peak = .01;
  options.out = (folder / "pointer").string();
}

}  // namespace heed::pipeline::testing
