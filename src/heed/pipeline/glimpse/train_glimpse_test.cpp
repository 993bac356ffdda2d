// SPDX-License-Identifier: Apache-2.0
// Trainings of networks that look in glimpses: they learn, and go on to the same bits.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/glimpse/canvas_batches.h"
#include "heed/pipeline/glimpse/glimpse_loss.h"
#include "heed/pipeline/glimpse/glimpse_quality.h"
#include "heed/pipeline/glimpse/glimpse_testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using testing::silent;

TEST(TrainGlimpse, LearnsToTellSmallImagesApart) {
  const test::TemporaryFolder folder;
  GlimpseTrainOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 150;
  const TrainingReport report = train(options, silent);
  EXPECT_LE(report.outcome.best.at("error"), .34);
  EXPECT_EQ(report.data, "54 images of 8 x 8");
}

struct WayToLook {
  std::string name;
  models::GlimpseCore core;
  models::GlimpsePolicy policy;
  std::int64_t digits = 1;
};

class EveryWayToLook : public ::testing::TestWithParam<WayToLook> {};

TEST_P(EveryWayToLook, InTwoRunsGivesTheWeightsOfOne) {
  const test::TemporaryFolder folder;
  const auto trained = [&](const std::string& name, const std::vector<std::int64_t>& ends) {
    GlimpseTrainOptions options;
    testing::set_small(options, folder / name);
    options.valid_canvases = 0;  // the latest is kept, not the best
    options.canvas = {.side = 20, .digits = GetParam().digits, .clutter = 1, .piece = 3};
    options.model.core = GetParam().core;
    options.model.policy = GetParam().policy;
    for (const std::int64_t updates : ends) {
      options.trainer.max_updates = updates;
      train(options, silent);
    }
    return read_file(options.out + "/model.safetensors");
  };
  // Three batches are an epoch: the second run begins in the midst of one.
  EXPECT_TRUE(trained("whole", {8}) == trained("parts", {5, 8}));
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryWayToLook,
    ::testing::Values(
        WayToLook{"ram", models::GlimpseCore::feedforward, models::GlimpsePolicy::learnt},
        WayToLook{"random", models::GlimpseCore::lstm, models::GlimpsePolicy::random},
        WayToLook{"draw", models::GlimpseCore::lstm, models::GlimpsePolicy::draw},
        WayToLook{"dram", models::GlimpseCore::stacked, models::GlimpsePolicy::learnt, 2}),
    [](const auto& info) { return info.param.name; });

TEST(CanvasBatches, ShowEachImageOnceAnEpochAndKeepOthersForValidation) {
  const test::TemporaryFolder folder;
  GlimpseTrainOptions options;
  testing::set_small(options, folder.path());
  options.canvas.side = 12;
  CanvasBatches batches(options);
  EXPECT_EQ(batches.epoch_batches(), 3u);
  std::vector<int> labels;
  for (int i = 0; i < 3; ++i) {
    for (const corpora::Canvas& canvas : batches.next()) labels.push_back(canvas.labels[0]);
    EXPECT_EQ(batches.ends_epoch(), i == 2);
  }
  EXPECT_EQ(labels.size(), 54u);
  EXPECT_EQ(std::ranges::count(labels, 3), 6) << "0 to 9 six times, but for the last six";
  EXPECT_EQ(std::ranges::count(labels, 4), 5);
  const auto next = batches.next();
  batches.seek(3);
  EXPECT_EQ(batches.next()[0].image, next[0].image);
  EXPECT_EQ(batches.held_out().size(), 6u);
  EXPECT_EQ(batches.held_out()[0].labels[0], 4);
  EXPECT_EQ(batches.report(), "fresh canvases of 12 x 12 with one of 54 images");
}

TEST(CanvasBatches, RefuseOneClassAndImagesOfAnotherSize) {
  const test::TemporaryFolder folder;
  GlimpseTrainOptions options;
  testing::set_small(options, folder.path());
  write_atomically(options.labels, images::testing::idx_bytes({60}, std::string(60, '\0')));
  EXPECT_EQ(test::message_of<DataError>([&] { CanvasBatches{options}; }),
            options.images + ": one label only, 0; it takes two to tell apart");
  testing::set_small(options, folder.path());
  options.valid_images = (folder / "vi").string();
  options.valid_labels = (folder / "vl").string();
  write_atomically(options.valid_images, images::testing::small_digit_images(10, 6));
  write_atomically(options.valid_labels, images::testing::small_digit_labels(10));
  EXPECT_EQ(test::message_of<DataError>([&] { CanvasBatches{options}; }),
            options.valid_images + ": images of 6 x 6 where " + options.images +
                " has 8 x 8; all take one size");
}

// Two targets and an end, two glimpses each: what is still to be written after a place.
TEST(GlimpseRewards, AreTheShareOfWhatIsRightFromTheirPlaceOn) {
  const models::GlimpseNetworkOptions options{.classes = 3, .targets = 2, .glimpses = 2};
  models::GlimpseRun run;
  run.logits = {Variable(Tensor::of({1, 4}, {0, 9, 0, 0})),
                Variable(Tensor::of({1, 4}, {9, 0, 0, 0})),
                Variable(Tensor::of({1, 4}, {0, 0, 0, 9}))};
  run.means.resize(5);
  const auto rewards = glimpse_rewards(options, run, Ids::of({1, 2}, {1, 2}));
  std::vector<double> values;
  for (const Tensor& one : rewards) values.push_back(double{one.item()});
  // Right, wrong, right: places 1 to 5 are of targets 0, 1, 1, 2, 2.
  ASSERT_EQ(values.size(), 5u);
  EXPECT_NEAR(values[0], 2. / 3, 1e-6);
  EXPECT_NEAR(values[1], .5, 1e-6);
  EXPECT_NEAR(values[2], .5, 1e-6);
  EXPECT_NEAR(values[3], 1, 1e-6);
  EXPECT_NEAR(values[4], 1, 1e-6);
}

// One target, three glimpses: two places that are learnt.
TEST(GlimpseRewards, AreTheChanceOfTheClassOrWhatWasGained) {
  const models::GlimpseNetworkOptions options{.classes = 2, .glimpses = 3};
  models::GlimpseRun run;
  // Chances of 3/4 and 1/4 of the class 1.
  const Real odds = std::log(Real(3));
  run.logits = {Variable(Tensor::of({2, 2}, {0, odds, odds, 0}))};
  run.means.resize(2);
  run.so_far = {Tensor::of({2, 2}, {Real(.5), Real(.5), Real(.2), Real(.8)}),
                Tensor::of({2, 2}, {Real(.3), Real(.7), Real(.9), Real(.1)})};
  const Ids labels = Ids::of({2, 1}, {1, 1});
  const auto expect = [&](models::GlimpseReward reward, std::size_t place, double first,
                          double second) {
    const auto rewards = glimpse_rewards(options, run, labels, reward);
    ASSERT_EQ(rewards.size(), 2u);
    EXPECT_NEAR(double{rewards[place].at({0})}, first, 1e-6);
    EXPECT_NEAR(double{rewards[place].at({1})}, second, 1e-6);
  };
  expect(models::GlimpseReward::right, 0, 1, 0);
  expect(models::GlimpseReward::chance, 1, .75, .25);
  expect(models::GlimpseReward::gain, 0, .75 - .5, .25 - .8);
  expect(models::GlimpseReward::gain, 1, .75 - .7, .25 - .1);
}

TEST(PlaceReport, WarnsOfAPolicyThatWentToTheEdgeOrStandsStill) {
  EXPECT_EQ((PlaceReport{.mean_size = .3, .spread = .2, .held = .02}.warning()), "");
  EXPECT_NE((PlaceReport{.mean_size = .95, .spread = .2, .held = .4}.warning()).find("edge"),
            std::string::npos);
  EXPECT_NE((PlaceReport{.mean_size = .3, .spread = .2, .held = .6}.warning()).find("edge"),
            std::string::npos);
  EXPECT_NE((PlaceReport{.mean_size = .3, .spread = .001}.warning()).find("same places"),
            std::string::npos);
  EXPECT_EQ((PlaceReport{.mean_size = .31, .spread = .22, .held = .02}.text()),
            "mean |mu| 0.31, spread 0.22, 2% of draws beyond the edge");
}

// A network whose place net is its bias alone: the means are known.
TEST(PlaceReport, MeasuresMeansTheirSpreadAndDrawsBeyondTheEdge) {
  models::GlimpseNetworkOptions options{.height = 8,
                                        .width = 8,
                                        .classes = 2,
                                        .glimpses = 2,
                                        .sensor = {.size = 2},
                                        .deviation = .001,
                                        .part = 4,
                                        .hidden = 4,
                                        .place_hidden = 2};
  Random random(1);
  models::GlimpseNetwork network(options, random);
  for (nn::Parameter& parameter : nn::parameters(network)) {
    if (parameter.name == "place.weight")
      parameter.variable.mutable_value().assign(Tensor::zeros({2, 2}));
    if (parameter.name == "place.bias") {
      parameter.variable.mutable_value().assign(Tensor::of({2}, {20, 0}));
    }
  }
  std::vector<corpora::Canvas> canvases(64);
  for (corpora::Canvas& canvas : canvases) {
    canvas = {.image = images::Image::filled(8, 8),
              .labels = {0},
              .boxes = {{.left = 4, .top = 2, .right = 8, .bottom = 6}}};
  }
  const PlaceReport report = place_report(network, canvases, 1);
  EXPECT_NEAR(report.mean_size, .5, 1e-3);
  EXPECT_NEAR(report.spread, 0, 1e-3);
  EXPECT_NEAR(report.held, .25, .07) << "half of the draws across are beyond 1";
  // Its second glimpse is at (1, 0): the last column, the row below the middle.
  const GlimpseQuality quality = glimpse_quality(network, canvases);
  EXPECT_EQ(quality.in_box[1], 64);
  EXPECT_NEAR(quality.pointing(1), 1, 1e-12);
  EXPECT_NEAR(quality.in_box[0], 16, 13) << "the first is anywhere";
  EXPECT_DOUBLE_EQ(quality.box_share, .25);
}

}  // namespace
}  // namespace heed::pipeline
