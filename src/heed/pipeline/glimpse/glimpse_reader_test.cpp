// SPDX-License-Identifier: Apache-2.0
// A network of glimpses in use: paths, overlays, traces, measures, and images it cannot read.
#include "heed/pipeline/glimpse/glimpse_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/glimpse/glimpse_testing.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

std::string trained_in(const test::TemporaryFolder& folder, models::GlimpsePolicy policy,
                       std::int64_t digits = 1) {
  GlimpseTrainOptions options;
  testing::set_small(options, folder.path());
  options.model.policy = policy;
  options.model.sensor.scales = 2;
  options.canvas = {.side = 20, .digits = digits};
  options.trainer.max_updates = 3;
  train(options, testing::silent);
  return options.out;
}

TEST(GlimpseReader, ShowsThePathWithWhatWasSeen) {
  for (const auto policy : {models::GlimpsePolicy::learnt, models::GlimpsePolicy::random,
                            models::GlimpsePolicy::draw}) {
    const test::TemporaryFolder folder;
    const GlimpseReader reader(trained_in(folder, policy));
    images::Image image = images::Image::filled(20, 20);
    image.at(10, 10) = 1;
    const GlimpsePath path = reader.look(image, {.seed = 3});
    ASSERT_EQ(path.steps.size(), 2u);
    EXPECT_EQ(path.classes.size(), 1u);
    const bool draws = policy == models::GlimpsePolicy::draw;
    EXPECT_EQ(path.steps[0].boxes.size(), draws ? 1u : 2u);
    EXPECT_EQ(path.steps[1].patches[0].height, 4);
    EXPECT_NEAR(std::accumulate(path.steps[1].chances.begin(), path.steps[1].chances.end(), 0.), 1,
                1e-5);
    if (!draws) {
      const images::Box fine = path.steps[0].boxes[0], coarse = path.steps[0].boxes[1];
      EXPECT_EQ(fine.area(), 16);
      EXPECT_EQ(coarse.area(), 64);
      EXPECT_EQ(coarse.left, fine.left - 2);
      // What it saw is what lies in the box.
      for (std::int64_t y = 0; y < 4; ++y) {
        for (std::int64_t x = 0; x < 4; ++x) {
          const bool lit = fine.top + y == 10 && fine.left + x == 10;
          EXPECT_EQ(path.steps[0].patches[0].at(y, x), lit ? 1 : 0);
        }
      }
    }
    const insight::OverlayScene scene = reader.scene(path);
    EXPECT_EQ(scene.views.size(), 3u);
    EXPECT_EQ(scene.views[2].path.size(), 2u);
    EXPECT_TRUE(scene.views[2].path[0].boxes.empty());
    EXPECT_DOUBLE_EQ(scene.views[0].path[1].x, (path.steps[1].x + 1) / 2);
    insight::check_overlay(scene);
    const insight::TracedExample example = reader.traced(path);
    insight::check({.model = "m", .task = "glimpse", .examples = {example}});
    EXPECT_EQ(example.attentions[0].heads[0].weights.shape(), Shape({2, 196}));
    EXPECT_THROW(reader.look(images::Image::filled(19, 20)), UsageError);
  }
}

TEST(GlimpseReader, AnswersAndIsMeasuredAsEveryModel) {
  const test::TemporaryFolder folder;
  const GlimpseReader reader(trained_in(folder, models::GlimpsePolicy::learnt));
  EXPECT_EQ(reader.kind().name, "glimpse");
  EXPECT_GT(reader.parameter_count(), 100);
  EXPECT_EQ(reader.length("x"), 2);
  const std::string png = base64_encode(images::png_bytes(images::Image::filled(9, 30, 3, .5F)));
  const auto answers = reader.run(std::array{Input{png}, Input{"data:image/png;base64," + png}});
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].size(), 10u);
  EXPECT_EQ(answers[0][0].text, answers[1][0].text);
  EXPECT_GE(answers[0][0].score, answers[0][1].score);
  EXPECT_EQ(reader.trace(std::array{Input{png}}, {{"seed", "4"}}).size(), 1u);
  EXPECT_THROW(reader.run(std::array{Input{"?"}}), UsageError);
  EXPECT_THROW(reader.run(std::array{Input{base64_encode("P5 no image")}}), UsageError);
  ComparedModel compared;
  reader.measure(std::array{(folder / "i").string(), (folder / "l").string()}, compared);
  EXPECT_EQ(compared.sentences, 60u);
  EXPECT_EQ(compared.measures.size(), 2u);
}

TEST(GlimpseReader, ReadsSeveralDigits) {
  const test::TemporaryFolder folder;
  const GlimpseReader reader(trained_in(folder, models::GlimpsePolicy::learnt, 2));
  const GlimpsePath path = reader.look(images::Image::filled(20, 20));
  EXPECT_EQ(path.steps.size(), 6u);
  EXPECT_LE(path.classes.size(), 2u);
  EXPECT_EQ(path.steps[0].chances.size(), 11u);
  EXPECT_EQ(reader.scene(path).classes.back(), "end");
  EXPECT_EQ(reader.text(std::array{3, 9}), "3 9");
}

}  // namespace
}  // namespace heed::pipeline
