// SPDX-License-Identifier: Apache-2.0
// Pictures of overlays, read pixel by pixel.
#include "heed/insight/draw/overlay_picture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

std::uint32_t hex(const Rgb& colour) {
  const auto part = [](double value) {
    return static_cast<std::uint32_t>(std::lround(255 * value));
  };
  return part(colour.red) << 16 | part(colour.green) << 8 | part(colour.blue);
}

constexpr std::uint32_t kGold = 0x35e06f, kPath = 0xff4fa3, kShape = 0x22d3ee;

// The colour at a place of the unit square of a view's image.
std::uint32_t seen(const OverlayScene& scene, std::size_t view, double x, double y) {
  const Pixels pixels = pixels_of(overlay_drawing(scene), 4);
  const Box box = overlay_box(scene, view);
  return pixels.at({4 * (box.x + x * box.width), 4 * (box.y + y * box.height)});
}

// How many pixels of a view have a colour.
std::size_t count_of(const OverlayScene& scene, std::uint32_t colour) {
  const Pixels pixels = pixels_of(overlay_drawing(scene), 2);
  return static_cast<std::size_t>(std::ranges::count(pixels.colours, colour));
}

OverlayScene grey_scene(std::size_t views) {
  OverlayScene scene{.image = images::Image::filled(8, 8, 1, .5F), .title = "grey"};
  scene.views.resize(views);
  return scene;
}

TEST(OverlayPicture, ShowsTheImageWhereNothingWeighsAndHeatWhereAllDoes) {
  OverlayScene scene = grey_scene(2);
  scene.image.at(0, 7) = 1;
  scene.views[0].weights = Tensor::of({2, 2}, {1, 0, 0, 0});
  scene.views[1].weights = Tensor::of({2, 2}, {0, 0, 0, .5F});
  scene.nearest = true;
  const std::uint32_t grey = 0x808080;
  EXPECT_EQ(seen(scene, 0, .25, .25), hex(laid_over({.5, .5, .5}, 1)));
  EXPECT_EQ(seen(scene, 0, .75, .75), grey);
  EXPECT_EQ(seen(scene, 0, .97, .03), 0xffffffu) << "the image's own white pixel";
  EXPECT_EQ(seen(scene, 1, .25, .25), grey);
  EXPECT_EQ(seen(scene, 1, .75, .75), hex(laid_over({.5, .5, .5}, .5))) << "one range for all";
  scene.nearest = false;
  const std::uint32_t between = seen(scene, 0, .5, .25);
  EXPECT_NE(between, grey);
  EXPECT_NE(between, hex(laid_over({.5, .5, .5}, 1)));
}

TEST(OverlayPicture, OutlinesGoldInsideAndOutsideOfViews) {
  OverlayScene scene = grey_scene(2);
  scene.gold = {{.left = 2, .top = 2, .right = 6, .bottom = 6}};
  EXPECT_EQ(seen(scene, 0, .25, .5), kGold);
  EXPECT_EQ(seen(scene, 1, .5, .75), kGold);
  EXPECT_EQ(seen(scene, 1, .5, .5), 0x808080u);
  scene.gold.clear();
  scene.views[1].gold = {{.left = 0, .top = 4, .right = 8, .bottom = 8}};
  EXPECT_EQ(seen(scene, 1, .5, .5), kGold);
  EXPECT_NE(seen(scene, 0, .5, .5), kGold);
}

TEST(OverlayPicture, DrawsThreeContoursAndOneBorder) {
  OverlayScene scene = grey_scene(1);
  scene.views[0].densities = {{.x = .5, .y = .5, .xx = .01, .xy = 0, .yy = .0025}};
  for (const double deviations : {1., 2., 3.}) {
    EXPECT_EQ(seen(scene, 0, .5 + .1 * deviations, .5), kShape) << deviations;
    EXPECT_EQ(seen(scene, 0, .5, .5 - .05 * deviations), kShape) << deviations;
  }
  EXPECT_EQ(seen(scene, 0, .5, .5), 0x808080u);
  EXPECT_EQ(seen(scene, 0, .65, .5), 0x808080u);
  PlaneDensity& density = scene.views[0].densities[0];
  density = {.shape = PlaneDensity::Shape::paraboloid, .xx = .001, .yy = .001};
  // R^2 = 2/(sqrt(pi) |Sigma|^1/4): a circle of radius R sigma.
  const double radius = std::sqrt(2 / (std::sqrt(std::acos(-1)) * std::pow(1e-6, .25)) * .001);
  EXPECT_EQ(seen(scene, 0, .5 + radius, .5), kShape);
  EXPECT_EQ(seen(scene, 0, .5 + radius / 2, .5), 0x808080u);
}

TEST(OverlayPicture, NumbersAPathAndDrawsWhatEachStopCovers) {
  OverlayScene scene = grey_scene(1);
  scene.views[0].path = {{.x = .25,
                          .y = .25,
                          .boxes = {{.left = 1, .top = 1, .right = 3, .bottom = 3},
                                    {.left = 0, .top = 0, .right = 4, .bottom = 4}}},
                         {.x = .75, .y = .75}};
  EXPECT_EQ(seen(scene, 0, .5, .5), kPath) << "the line between both";
  EXPECT_EQ(seen(scene, 0, .75 + 5. / 150, .75), kPath) << "the disc of stop 1";
  EXPECT_EQ(seen(scene, 0, .375, .2), kPath) << "the finer box";
  EXPECT_EQ(seen(scene, 0, .5, .1), kPath) << "the coarser one";
  EXPECT_EQ(seen(scene, 0, .75, .25), 0x808080u);
  const std::size_t both = count_of(scene, kPath);
  scene.views[0].path.pop_back();
  EXPECT_LT(count_of(scene, kPath), both - 100);
}

TEST(OverlayPicture, ShowsPatchesAsTheyWereSeen) {
  OverlayScene scene = grey_scene(1);
  images::Image patch = images::Image::filled(2, 2);
  patch.at(0, 0) = 1;
  scene.views[0].patches = {patch, images::Image::filled(2, 2, 1, .25F)};
  const Box box = overlay_box(scene, 0);
  const Pixels pixels = pixels_of(overlay_drawing(scene), 2);
  const auto at = [&](double x, double y) {  // of the patches, 60 a side and 6 between them
    return pixels.at({2 * (box.x + 12 + x), 2 * (box.y + box.height + 6 + y)});
  };
  EXPECT_EQ(at(15, 15), 0xffffffu);
  EXPECT_EQ(at(45, 15), 0u);
  EXPECT_EQ(at(66 + 30, 30), 0x404040u);
}

TEST(OverlayPicture, DrawsChancesAsBarsTheLikeliestInTheAccent) {
  OverlayScene scene = grey_scene(1);
  scene.classes = {"0", "1"};
  scene.views[0].chances = {.25, .75};
  const Box box = overlay_box(scene, 0);
  const Pixels pixels = pixels_of(overlay_drawing(scene), 2);
  const std::uint32_t accent = hex(palette_of(Theme::light).accent);
  const auto height = [&](double x, std::uint32_t colour) {  // in points
    int count = 0;
    for (double y = 0; y < 60; y += .5) {
      count += pixels.at({2 * (box.x + x), 2 * (box.y + box.height + 4 + y)}) == colour;
    }
    return count / 2.;
  };
  EXPECT_NEAR(height(30, accent), 0, .1);
  EXPECT_NEAR(height(30, hex(palette_of(Theme::light).hatch)), 11, 1.5);
  EXPECT_NEAR(height(110, accent), 33, 1.5);
}

TEST(OverlayPicture, DrawsAGateAsLongAsItIsOpen) {
  OverlayScene scene = grey_scene(2);
  scene.views[0].gate = 1;
  scene.views[1].gate = .5;
  const std::uint32_t accent = hex(palette_of(Theme::light).accent);
  const Pixels pixels = pixels_of(overlay_drawing(scene), 2);
  const auto width = [&](std::size_t view) {
    const Box box = overlay_box(scene, view);
    int count = 0;
    for (double x = 0; x < 150; x += .5) {
      count += pixels.at({2 * (box.x + x), 2 * (box.y + box.height + 10)}) == accent;
    }
    return count / 2.;
  };
  EXPECT_NEAR(width(0), 86, 1);
  EXPECT_NEAR(width(1), 43, 1);
}

TEST(OverlayPicture, PutsViewsSideBySideAndThenBelow) {
  OverlayScene scene = grey_scene(8);
  for (OverlayView& view : scene.views) view.label = "word";
  EXPECT_EQ(overlay_box(scene, 1).y, overlay_box(scene, 0).y);
  EXPECT_GT(overlay_box(scene, 1).x, overlay_box(scene, 0).x + 150);
  EXPECT_EQ(overlay_box(scene, 6).y, 0);
  EXPECT_GT(overlay_box(scene, 7).y, 150);
  scene.columns = 4;
  EXPECT_EQ(overlay_box(scene, 4).x, overlay_box(scene, 0).x);
  scene.image = images::Image::filled(8, 16);
  EXPECT_EQ(overlay_box(scene, 0).height, 75) << "its own proportions";
}

TEST(OverlayPicture, IsTheSameEveryTimeWithItsTitleAndALegendForWeightsOnly) {
  OverlayScene scene = grey_scene(1);
  const std::string plain = overlay_svg(scene);
  EXPECT_EQ(plain, overlay_svg(scene));
  EXPECT_NE(plain.find("<title>grey"), std::string::npos);
  EXPECT_EQ(overlay_png(scene).substr(1, 3), "PNG");
  scene.views[0].weights = Tensor::of({1, 1}, {-.5F});
  EXPECT_NE(overlay_svg(scene), plain);
  scene.views[0].densities = {{.xx = 0}};
  EXPECT_THROW(overlay_svg(scene), UsageError);
}

}  // namespace
}  // namespace heed::insight
