// SPDX-License-Identifier: Apache-2.0
// Options of networks that look in glimpses: presets, files, refusals.
#include "heed/pipeline/glimpse/glimpse_train_options.h"

#include <gtest/gtest.h>

#include <functional>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(GlimpseTrainOptions, TakePresets) {
  GlimpseTrainOptions options;
  options.preset = "ram-canvas";
  options.apply_preset();
  EXPECT_EQ(options.canvas.side, 60);
  EXPECT_EQ(options.model.sensor.scales, 3);
  GlimpseTrainOptions dram;
  dram.preset = "dram";
  dram.apply_preset();
  EXPECT_EQ(dram.model_for({.names = {"0", "1"}, .canvas = dram.canvas}).steps(), 9);
}

TEST(GlimpseTrainOptions, RefuseWhatDoesNotFit) {
  const auto refused = [](const std::function<void(GlimpseTrainOptions&)>& change) {
    GlimpseTrainOptions options;
    options.images = "i";
    options.labels = "l";
    options.out = "o";
    options.trainer.max_updates = 1;
    options.check();
    change(options);
    return test::message_of<UsageError>([&] { options.check(); });
  };
  EXPECT_EQ(refused([](GlimpseTrainOptions& o) { o.valid_labels = "x"; }),
            "--valid-labels x: give --valid-images as well");
  EXPECT_EQ(refused([](GlimpseTrainOptions& o) { o.valid_images = "x"; }),
            "--valid-images x: give --valid-labels as well");
  EXPECT_EQ(refused([](GlimpseTrainOptions& o) { o.canvas.side = 6; }),
            "--side 6: a canvas smaller than a glimpse, which is 8 wide; take --size 6 or a larger "
            "canvas");
}

TEST(LearntCanvases, AreWrittenAndRead) {
  const test::TemporaryFolder folder;
  const LearntCanvases canvases{.height = 60,
                                .width = 60,
                                .names = {"a", "b c"},
                                .canvas = {.side = 60, .digits = 2, .clutter = 4}};
  canvases.write(folder / "c.toml");
  const LearntCanvases read = LearntCanvases::read(folder / "c.toml");
  EXPECT_EQ(read.height, 60);
  EXPECT_EQ(read.names, canvases.names);
  EXPECT_EQ(read.canvas, canvases.canvas);
  write_atomically(folder / "c.toml", "height = 0\n");
  EXPECT_THROW(LearntCanvases::read(folder / "c.toml"), DataError);
}

}  // namespace
}  // namespace heed::pipeline
