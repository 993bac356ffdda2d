// SPDX-License-Identifier: Apache-2.0
// A recogniser that is trained in a moment.
#pragma once

#include <filesystem>

#include "heed/pipeline/recognise/recognise_options.h"

namespace heed::pipeline::testing {

inline void set_small(RecogniseOptions& options, const std::filesystem::path& folder) {
  options.fewest = 1;
  options.most = 3;
  options.batch = 16;
  options.valid_strips = 40;
  options.model.encoder.hidden = 16;
  options.model.hidden = 16;
  options.model.embedding = 8;
  options.model.attention = "additive(size=16)";
  options.trainer.max_updates = 20;
  options.trainer.schedule.peak = .01;
  options.out = (folder / "recogniser").string();
}

}  // namespace heed::pipeline::testing
