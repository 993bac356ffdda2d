// SPDX-License-Identifier: Apache-2.0
// Colour maps: from a weight's share of the largest to a colour, evenly in perceived lightness.
//
//   ColourMap(Ramp::blue, Theme::light).of(.5)  // half-way from white to dark blue
#pragma once

#include <string>
#include <vector>

#include "heed/base/exported.h"

namespace heed::insight {

// Of the ground: heavy weights are dark on light, light on dark.
enum class Theme { light, dark };

// gray is the map of the first alignment pictures: 0 is black, 1 is white, whatever the theme.
// diverging tells signs apart: magenta below zero, teal above.
enum class Ramp { blue, cividis, gray, diverging };
// Those of weights; diverging is for differences and is not asked for by name.
HEED_EXPORTED const std::vector<std::string>& ramp_names();

// sRGB, each from 0 to 1.
struct Rgb {
  double red = 0;
  double green = 0;
  double blue = 0;

  bool operator==(const Rgb&) const = default;
};

// 0xRRGGBB.
constexpr Rgb rgb(unsigned hex) {
  return {static_cast<double>(hex >> 16 & 255) / 255, static_cast<double>(hex >> 8 & 255) / 255,
          static_cast<double>(hex & 255) / 255};
}

class ColourMap {
 public:
  explicit ColourMap(Ramp ramp = Ramp::blue, Theme theme = Theme::light)
      : ramp_(ramp), theme_(theme) {}

  // share is a weight divided by largest(), from -1 to 1. Exact zeros are blank; every other share,
  // however small, is tinted so that one can see it. Negative shares are magenta in every map.
  Rgb of(double share) const;
  Rgb blank() const;

  // What shares are of: 1 for the classic gray, else the largest weight there is.
  double largest(double of_all) const { return ramp_ == Ramp::gray ? 1 : of_all; }

 private:
  Ramp ramp_;
  Theme theme_;
};

// The ratio by which readers of small text tell two colours apart, from 1 to 21 (WCAG 2).
double contrast(const Rgb& a, const Rgb& b);

// Black or white, whichever reads better on this ground; at least 4.5:1 on every colour.
Rgb ink_on(const Rgb& ground);

// Lightness as perceived, from 0 to 1 (the L of Oklab).
double lightness(const Rgb& colour);

}  // namespace heed::insight
