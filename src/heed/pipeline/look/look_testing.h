// SPDX-License-Identifier: Apache-2.0
// Classifiers of images that are trained in a moment: ten "digits", each with ink in its own
// pixels.
#pragma once

#include <filesystem>

#include "heed/base/testing.h"
#include "heed/images/testing.h"
#include "heed/pipeline/look/look_options.h"

namespace heed::pipeline::testing {

inline void put_digits(const std::filesystem::path& folder, int count = 60) {
  test::put(folder / "images", images::testing::small_digit_images(count, 8));
  test::put(folder / "labels", images::testing::small_digit_labels(count));
}

inline void set_small(LookOptions& options, const std::filesystem::path& folder) {
  options.images = (folder / "images").string();
  options.labels = (folder / "labels").string();
  options.batch = 10;
  options.stages = {"8:3:2", "12"};
  options.attention = "additive(size=8)";
  options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 8;
  options.layers = 1;
  options.patch = 4;
  options.trainer.max_updates = 20;
  options.trainer.schedule.peak = .01;
  options.out = (folder / "looker").string();
}

inline void set_patches(LookOptions& options) {
  options.reading = models::ImageReading::patches;
  options.pooling = models::CellPooling::token;
}

}  // namespace heed::pipeline::testing
