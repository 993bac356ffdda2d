// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace heed::insight {
namespace {

struct Case {
  Ramp ramp;
  Theme theme;
};

std::vector<Case> all_maps() {
  std::vector<Case> cases;
  for (const Ramp ramp : {Ramp::blue, Ramp::cividis, Ramp::gray, Ramp::diverging}) {
    for (const Theme theme : {Theme::light, Theme::dark}) cases.push_back({ramp, theme});
  }
  return cases;
}

TEST(ColourMap, GoesFromWhiteToDarkBlueOnLightAndUpFromTheGroundOnDark) {
  const ColourMap light(Ramp::blue, Theme::light);
  EXPECT_EQ(light.of(0), rgb(0xffffff));
  EXPECT_LT(lightness(light.of(1)), .35);
  EXPECT_GT(light.of(1).blue, 2 * light.of(1).green);
  const ColourMap dark(Ramp::blue, Theme::dark);
  EXPECT_LT(lightness(dark.of(0)), .25);
  EXPECT_GT(lightness(dark.of(1)), .9);
}

TEST(ColourMap, ChangesLightnessEvenly) {
  for (const Case& map : all_maps()) {
    if (map.ramp == Ramp::gray) continue;
    const ColourMap colours(map.ramp, map.theme);
    const double whole = lightness(colours.of(1)) - lightness(colours.of(1e-9));
    for (double share = .1; share <= 1; share += .1) {
      const double step = lightness(colours.of(share)) - lightness(colours.of(share - .1 + 1e-12));
      EXPECT_NEAR(step, whole / 10, .012) << "at " << share;  // colours end at the edge of sRGB
    }
  }
}

TEST(ColourMap, TintsTheSmallestWeightsSoThatTheyAreSeen) {
  for (const Case& map : all_maps()) {
    const ColourMap colours(map.ramp, map.theme);
    for (const double share : {1e-30, 1e-3, -1e-30}) {
      const Rgb tiny = colours.of(share), blank = colours.of(0);
      // Distances in bytes: a step of 12 in one of them is seen beside the other.
      const double distance = std::abs(tiny.red - blank.red) + std::abs(tiny.green - blank.green) +
                              std::abs(tiny.blue - blank.blue);
      EXPECT_GT(255 * distance, 24) << share;
    }
  }
}

TEST(ColourMap, IsTheClassicGrayFromBlackToWhiteWithAFixedRange) {
  const ColourMap gray(Ramp::gray);
  EXPECT_EQ(gray.of(0), rgb(0x000000));
  EXPECT_EQ(gray.of(1), rgb(0xffffff));
  EXPECT_EQ(gray.largest(.3), 1);
  EXPECT_EQ(ColourMap(Ramp::blue).largest(.3), .3);
}

TEST(ColourMap, TellsSignsByMagentaAndTeal) {
  const ColourMap colours(Ramp::diverging);
  const Rgb below = colours.of(-.6), above = colours.of(.6);
  EXPECT_GT(below.red, below.green + .2);
  EXPECT_GT(below.blue, below.green + .2);
  EXPECT_GT(above.green, above.red + .2);
  EXPECT_GT(above.blue, above.red + .2);
  EXPECT_NEAR(lightness(below), lightness(above), .08) << "as heavy as each other";
}

TEST(InkOn, ReadsOnEveryColourOfEveryMap) {
  for (const Case& map : all_maps()) {
    const ColourMap colours(map.ramp, map.theme);
    for (double share = -1; share <= 1; share += 1. / 64) {
      const Rgb ground = colours.of(share);
      EXPECT_GE(contrast(ink_on(ground), ground), 4.5) << share;
    }
  }
  EXPECT_NEAR(contrast(rgb(0xffffff), rgb(0x000000)), 21, 1e-9);
  EXPECT_NEAR(contrast(rgb(0x767676), rgb(0xffffff)), 4.54, .01);  // the known border case
}

}  // namespace
}  // namespace heed::insight
