// SPDX-License-Identifier: Apache-2.0
// A network of glimpses that is trained in a moment, on images that are easy to tell apart.
#pragma once

#include <filesystem>

#include "heed/base/file.h"
#include "heed/images/testing.h"
#include "heed/pipeline/glimpse/glimpse_train_options.h"

namespace heed::pipeline::testing {

inline constexpr int kSmallSide = 8;

inline void set_small(GlimpseTrainOptions& options, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  options.images = (folder / "i").string();
  options.labels = (folder / "l").string();
  write_atomically(options.images, images::testing::small_digit_images(60, kSmallSide));
  write_atomically(options.labels, images::testing::small_digit_labels(60));
  options.batch = 20;
  options.model.glimpses = 2;
  options.model.sensor.size = 4;
  options.model.part = 16;
  options.model.hidden = 24;
  options.model.place_hidden = 8;
  options.trainer.max_updates = 20;
  options.trainer.schedule.peak = .01;
  options.out = (folder / "glimpses").string();
}

}  // namespace heed::pipeline::testing
