// SPDX-License-Identifier: Apache-2.0
// Overlays in the terminal: characters and colours.
#include "heed/insight/terminal/overlay_view.h"

#include <gtest/gtest.h>

namespace heed::insight {
namespace {

OverlayScene corner() {
  OverlayScene scene{.image = images::Image::filled(4, 4)};
  scene.image.at(0, 0) = scene.image.at(1, 0) = 1;
  scene.views = {{.label = "one"}, {.label = "two", .gate = .5}};
  return scene;
}

TEST(OverlayView, SetsViewsBesideEachOtherWithTheirWords) {
  EXPECT_EQ(overlay_view(corner(), {.columns = 4}),
            "@     @   \n"
            "          \n"
            "one   two\n"
            "      gate .50\n");
  EXPECT_EQ(overlay_view(corner(), {.columns = 4, .screen = {.width = 8}}),
            "@   \n    \none\n\n@   \n    \ntwo\ngate .50\n");
}

TEST(OverlayView, WritesNumbersOfAPathBoxesAndTheLikeliestClass) {
  OverlayScene scene = corner();
  scene.views.resize(1);
  scene.views[0] = {.path = {{.x = .1, .y = .9}, {.x = .9, .y = .9}}, .chances = {.25, .75}};
  scene.classes = {"cat", "dog"};
  EXPECT_EQ(overlay_view(scene, {.columns = 4}), "@   \n0  1\ndog .75\n");
  scene.gold = {{.left = 2, .top = 0, .right = 4, .bottom = 2}};
  EXPECT_EQ(overlay_view(scene, {.columns = 4}), "@ oo\n0  1\ndog .75\n");
}

TEST(OverlayView, PaintsTwoPixelsACharacter) {
  OverlayScene scene{.image = images::Image::filled(2, 4), .views = {{}}};
  scene.image.at(0, 1) = 1;
  const std::string text = overlay_view(scene, {.columns = 4, .screen = {.colour = Colour::full}});
  const std::string black = "\x1b[38;2;0;0;0;48;2;0;0;0m▀\x1b[0m";
  EXPECT_EQ(text, black + "\x1b[38;2;255;255;255;48;2;0;0;0m▀\x1b[0m" + black + black + "\n");
  const std::string indexed =
      overlay_view(scene, {.columns = 4, .screen = {.colour = Colour::indexed}});
  EXPECT_NE(indexed.find("\x1b[38;5;231;48;5;16m▀"), std::string::npos);
  scene.views[0].weights = Tensor::of({1, 1}, {1});
  EXPECT_NE(overlay_view(scene, {.columns = 4, .screen = {.colour = Colour::full}}), text);
}

}  // namespace
}  // namespace heed::insight
