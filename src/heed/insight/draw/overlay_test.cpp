// SPDX-License-Identifier: Apache-2.0
// Weights between cells, one range for all views, colours of a blend.
#include "heed/insight/draw/overlay.h"

#include <gtest/gtest.h>

#include <functional>

#include "heed/attention/trace.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::insight {
namespace {

TEST(WeightAt, IsThatOfACellAtItsCentreAndHalfWayTheMean) {
  const Tensor weights = Tensor::of({2, 2}, {1, 3, 5, 9});
  EXPECT_DOUBLE_EQ(weight_at(weights, .25, .25), 1);
  EXPECT_DOUBLE_EQ(weight_at(weights, .75, .75), 9);
  EXPECT_DOUBLE_EQ(weight_at(weights, .5, .25), 2);
  EXPECT_DOUBLE_EQ(weight_at(weights, .5, .5), 4.5);
  EXPECT_DOUBLE_EQ(weight_at(weights, 0, 0), 1) << "no further than the centre of the first";
  EXPECT_DOUBLE_EQ(weight_at(weights, 1, 1), 9);
  EXPECT_DOUBLE_EQ(weight_at(weights, .49, .49, true), 1);
  EXPECT_DOUBLE_EQ(weight_at(weights, .51, .49, true), 3);
  EXPECT_DOUBLE_EQ(weight_at(weights, .1, 1, true), 5);
  EXPECT_DOUBLE_EQ(weight_at(Tensor::of({1, 1}, {attention::kMasked}), .5, .5), 0);
}

TEST(LaidOver, IsTheImageAtZeroAndEightTenthsOfTheHueAtMost) {
  const Rgb grey{.5, .5, .5};
  EXPECT_EQ(laid_over(grey, 0), grey);
  const Rgb strong = laid_over(grey, 1), half = laid_over(grey, .5), cold = laid_over(grey, -1);
  EXPECT_NEAR(strong.red, .2 * .5 + .8, 1e-9);
  EXPECT_NEAR(half.red, .6 * .5 + .4, 1e-9);
  EXPECT_GT(cold.blue, .85);
  EXPECT_EQ(laid_over(grey, 2), strong);
}

TEST(ColourAt, ReadsGreyColourAndTheMeanOfOtherChannels) {
  const images::Image grey{.height = 1, .width = 1, .pixels = {.25F}};
  const images::Image colour{.height = 1, .width = 1, .channels = 3, .pixels = {1, .5F, 0}};
  const images::Image four{.height = 1, .width = 1, .channels = 4, .pixels = {1, 1, 0, 0}};
  EXPECT_EQ(colour_at(grey, 0, 0), (Rgb{.25, .25, .25}));
  EXPECT_EQ(colour_at(colour, 0, 0), (Rgb{1, .5, 0}));
  EXPECT_EQ(colour_at(four, 0, 0), (Rgb{.5, .5, .5}));
}

TEST(Overlaid, SharesOneRangeAmongAllViews) {
  OverlayScene scene{.image = images::Image::filled(2, 2)};
  scene.views.push_back({.weights = Tensor::of({1, 1}, {.5F})});
  scene.views.push_back({.weights = Tensor::of({1, 1}, {-.25F})});
  EXPECT_EQ(overlay_range(scene), .5);
  EXPECT_EQ(overlaid(scene, scene.views[0], 2, 2)[3], laid_over({}, 1));
  EXPECT_EQ(overlaid(scene, scene.views[1], 2, 2)[0], laid_over({}, -.5));
  scene.largest = 1;
  EXPECT_EQ(overlaid(scene, scene.views[0], 1, 1)[0], laid_over({}, .5));
}

TEST(CheckOverlay, RefusesWhatCannotBeDrawn) {
  const auto refused = [](const std::function<void(OverlayScene&)>& change) {
    OverlayScene scene{.image = images::Image::filled(2, 2), .views = {{}}, .classes = {"a", "b"}};
    check_overlay(scene);
    change(scene);
    return test::message_of<UsageError>([&] { check_overlay(scene); });
  };
  EXPECT_EQ(refused([](OverlayScene& s) { s.views.clear(); }),
            "an overlay: there is nothing to show; add a view");
  EXPECT_EQ(refused([](OverlayScene& s) { s.image = {}; }),
            "an overlay: view 1 has no image, and the scene has none");
  EXPECT_EQ(refused([](OverlayScene& s) {
              s.views[0].weights = Tensor::of({2}, {0, 1});
            }),
            "an overlay: weights [2] of view 1; it takes a grid [rows,columns]");
  EXPECT_EQ(refused([](OverlayScene& s) { s.views[0].chances = {1}; }),
            "an overlay: view 1 has chances of 1 classes, the scene names 2");
  EXPECT_EQ(refused([](OverlayScene& s) { s.views[0].gate = 1.5; }),
            "an overlay: view 1 has a gate of 1.5; it lies from 0 to 1");
}

}  // namespace
}  // namespace heed::insight
