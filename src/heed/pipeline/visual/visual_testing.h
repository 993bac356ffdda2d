// SPDX-License-Identifier: Apache-2.0
// A model of questions on pictures that is trained in a moment.
#pragma once

#include <filesystem>

#include "heed/pipeline/visual/visual_options.h"

namespace heed::pipeline::testing {

inline void set_small(VisualOptions& options, const std::filesystem::path& folder) {
  options.pictures.scenes = 40;
  options.pictures.valid_scenes = 6;
  options.batch = 8;
  options.stages = {"4:3:4", "6:3:2"};
  options.attention = "additive(size=8)";
  options.embedding = 8;
  options.hidden = 12;
  options.trainer.max_updates = 4;
  options.trainer.schedule.peak = .01;
  options.out = (folder / "questions").string();
}

}  // namespace heed::pipeline::testing
