// SPDX-License-Identifier: Apache-2.0
// Options of classifiers of images that do not fit each other, and what a folder keeps.
#include "heed/pipeline/look/look_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

std::string refused_look(const std::function<void(LookOptions&)>& change) {
  LookOptions options;
  options.out = "x";
  options.trainer.max_updates = 1;
  options.images = options.labels = "digits";
  change(options);
  return test::message_of<UsageError>([&] { options.check(); });
}

TEST(LookOptions, RefuseWhatDoesNotFit) {
  EXPECT_EQ(refused_look([](LookOptions&) {}), "(no error was thrown)");
  EXPECT_EQ(refused_look([](LookOptions& o) { o.images = o.labels = ""; }),
            "nothing to learn from: give --images and --labels, IDX files, --train with a folder "
            "or list of images, or --target cross for built-in scenes");
  EXPECT_EQ(refused_look([](LookOptions& o) { o.train = "pets"; }),
            "--train, --images and --target: give one of them, a folder or list of images, an IDX "
            "file or a shape of the built-in scenes");
  const auto refused_target = [](const std::string& shape, std::int64_t side) {
    return refused_look([&](LookOptions& o) {
      o.images = o.labels = "";
      o.target = shape;
      o.side = side;
    });
  };
  EXPECT_EQ(refused_target("cross", 0), "(no error was thrown)");
  EXPECT_EQ(refused_target("dog", 0),
            "\"dog\" is no shape of scenes; it takes circle, square, triangle, cross");
  EXPECT_EQ(refused_target("cross", 60),
            "--side and --clutter are for images of files; with --target there are --distractors");
  EXPECT_NE(refused_look([](LookOptions& o) { o.labels = ""; }).find("belong together"),
            std::string::npos);
  EXPECT_EQ(refused_look([](LookOptions& o) { o.clutter = 4; }),
            "--clutter 4: it lies on a canvas; give --side, such as 60");
  EXPECT_NE(refused_look([](LookOptions& o) { o.colour = true; }).find("IDX files are grey"),
            std::string::npos);
  EXPECT_NE(refused_look([](LookOptions& o) { o.stages = {"8:2"}; }).find("odd windows"),
            std::string::npos);
}

TEST(LookOptions, SketchTheModelTheyAskFor) {
  LookOptions options;
  Random random(1);
  options.side = 60;
  const std::int64_t regions = nn::parameter_count(options.sketch(random));
  options.attention = "additive(size=8)";
  EXPECT_LT(nn::parameter_count(options.sketch(random)), regions);
  options.reading = models::ImageReading::patches;
  options.patch = 7;
  EXPECT_THROW(options.sketch(random), UsageError);  // 60 is no multiple of 7
}

TEST(LookPresets, AreWhole) {
  for (const Preset& preset : look_presets()) {
    LookOptions options;
    options.preset = preset.name;
    options.apply_preset();
    Random random(1);
    EXPECT_GT(nn::parameter_count(options.sketch(random)), 0) << preset.name;
  }
}

TEST(LearntImages, ComeBackFromTheirFile) {
  const test::TemporaryFolder folder;
  LearntImages learnt{.form = {5, 6, 3}, .names = {"a cat", "dög \"x\""}};
  learnt.canvas = {.side = 9, .clutter = 2, .piece = 3};
  learnt.target = "square";
  learnt.distractors = 5;
  learnt.write(folder / "images.toml");
  const LearntImages read = LearntImages::read(folder / "images.toml");
  EXPECT_EQ(read.form, learnt.form);
  EXPECT_EQ(read.names, learnt.names);
  EXPECT_EQ(read.canvas, learnt.canvas);
  EXPECT_EQ(read.wish().shape, corpora::ObjectShape::square);
  EXPECT_EQ(read.wish().distractors, 5);
  test::put(folder / "images.toml", "height = 5\nwidth = 5\nnames = [\"one\"]\n");
  EXPECT_THROW(LearntImages::read(folder / "images.toml"), DataError);
  learnt.target = "dog";
  learnt.write(folder / "images.toml");
  EXPECT_THROW(LearntImages::read(folder / "images.toml"), DataError);
  test::put(folder / "images.toml", "height = -5\n");
  EXPECT_THROW(LearntImages::read(folder / "images.toml"), DataError);
}

}  // namespace
}  // namespace heed::pipeline
