// SPDX-License-Identifier: Apache-2.0
// Classifiers of images are trained, loaded, looked with, traced, measured and resumed.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/pipeline/look/image_batches.h"
#include "heed/pipeline/look/image_looker.h"
#include "heed/pipeline/look/look_testing.h"

namespace heed::pipeline {
namespace {

class TrainLook : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    testing::put_digits(folder_.path());
    testing::set_small(options_, folder_.path());
    if (GetParam() == "patches") testing::set_patches(options_);
    if (GetParam() == "canvas") {
      options_.side = 16;
      options_.clutter = 1;
      options_.piece = 3;
    }
    if (GetParam() == "max") options_.pooling = models::CellPooling::maximum;
  }
  test::TemporaryFolder folder_;
  LookOptions options_;
};

TEST_P(TrainLook, GivesAModelThatLooksAndIsTraced) {
  options_.trainer.max_updates = 60;
  const TrainingReport report = train(options_, [](std::string_view) {});
  EXPECT_EQ(report.outcome.updates, 60);
  const ImageLooker looker(options_.out);
  EXPECT_EQ(looker.looks(), GetParam() != "max");
  const images::ImageSet set = read_images_for(looker.learnt(), {options_.images, options_.labels});
  const auto canvases = corpora::fixed_canvases(set, 30, looker.learnt().canvas, 3);
  const LookQuality quality = looker.quality(canvases);
  EXPECT_EQ(quality.images, 30);
  if (GetParam() != "canvas") {
    EXPECT_LE(quality.error(), .6);  // .9 by chance
  }
  const ImageLook look = looker.look(canvases.front().image);
  EXPECT_EQ(look.chances.size(), 10u);
  EXPECT_EQ(look.weights.defined(), looker.looks());
  insight::TraceDocument document{.model = "m", .task = "look"};
  document.examples.push_back(looker.traced(canvases.front().image));
  insight::check(document);
  EXPECT_EQ(document.examples[0].attentions.size(), GetParam() == "max"       ? 0u
                                                    : GetParam() == "patches" ? 2u
                                                                              : 1u);
  if (looker.looks()) {
    EXPECT_EQ(look.weights.shape(), (Shape{looker.grid().rows, looker.grid().columns}));
    EXPECT_EQ(quality.regions.looks(), 30);
  }
  if (GetParam() == "patches") {
    const ImageLayers layers = looker.look_through(canvases.front().image);
    EXPECT_EQ(layers.layers.size(), 1u);
    EXPECT_EQ(layers_scene(looker, layers).views.size(), 3u);
    EXPECT_EQ(quality.distances.front().size(), 2u);
  } else {
    EXPECT_THROW(looker.look_through(canvases.front().image), UsageError);
  }
  insight::check_overlay(look_scene(looker, std::span(&look, 1)));
}

TEST(TrainLookAtScenes, AsksForTheColourOfTheTarget) {
  const test::TemporaryFolder folder;
  LookOptions options;
  testing::set_small(options, folder.path());
  options.images = options.labels = "";
  options.target = "square";
  options.distractors = 0;
  options.scenes = 200;
  options.valid_count = 20;
  options.trainer.max_updates = 60;
  train(options, [](std::string_view) {});
  const ImageLooker looker(options.out);
  const auto scenes = held_out_canvases(looker.options(), looker.learnt(), 30, 3);
  const LookQuality quality = looker.quality(scenes);
  EXPECT_LE(quality.error(), .6);  // .83 by chance
  EXPECT_EQ(quality.regions.looks(), 30);
  EXPECT_EQ(looker.look(scenes.front().image).chances.size(), 6u);
}

TEST_P(TrainLook, InTwoRunsGivesTheWeightsOfOne) {
  options_.valid_count = 0;  // the latest is kept, not the best
  const auto trained = [&](const char* name, const std::vector<std::int64_t>& ends) {
    options_.out = (folder_ / name).string();
    for (const std::int64_t updates : ends) {
      options_.trainer.max_updates = updates;
      train(options_, [](std::string_view) {});
    }
    return read_file(options_.folder().file("model.safetensors"));
  };
  EXPECT_TRUE(trained("whole", {12}) == trained("parts", {7, 12}));
}

INSTANTIATE_TEST_SUITE_P(Kinds, TrainLook, ::testing::Values("regions", "patches", "canvas", "max"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace heed::pipeline
