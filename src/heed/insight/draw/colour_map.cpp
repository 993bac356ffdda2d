// SPDX-License-Identifier: Apache-2.0
// Ramps are a few colours joined in Oklab, so spaced that lightness changes evenly along them.
#include "heed/insight/draw/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace heed::insight {
namespace {

// The least place on a ramp that anything above zero gets: a tenth of the way is told from the
// ground at a glance.
constexpr double kLeastTint = .1;

constexpr std::array kBlueOnLight = {rgb(0xffffff), rgb(0xa9cdf0), rgb(0x3f83c4), rgb(0x08306b)};
constexpr std::array kBlueOnDark = {rgb(0x14181f), rgb(0x1d4a86), rgb(0x4b9bdc), rgb(0xe6f4ff)};
// Nuñez 2018: seen nearly alike with and without red-green blindness.
constexpr std::array kCividis = {rgb(0x00224e), rgb(0x3b496c), rgb(0x707173),
                                 rgb(0xa59c74), rgb(0xe1cc55), rgb(0xfee838)};
constexpr std::array kTealOnLight = {rgb(0xffffff), rgb(0x8fd0cc), rgb(0x22908c), rgb(0x004744)};
constexpr std::array kTealOnDark = {rgb(0x14181f), rgb(0x0d5a57), rgb(0x3fb0aa), rgb(0xdcfffb)};
constexpr std::array kMagentaOnLight = {rgb(0xffffff), rgb(0xefb3da), rgb(0xc13c95), rgb(0x63074a)};
constexpr std::array kMagentaOnDark = {rgb(0x14181f), rgb(0x7c2160), rgb(0xdb6bb5), rgb(0xffe6f6)};

struct Oklab {
  double l = 0;
  double a = 0;
  double b = 0;
};

double to_linear(double part) {
  return part <= .04045 ? part / 12.92 : std::pow((part + .055) / 1.055, 2.4);
}

double from_linear(double part) {
  const double value = part <= .0031308 ? 12.92 * part : 1.055 * std::pow(part, 1 / 2.4) - .055;
  return std::clamp(value, 0., 1.);
}

// The matrices of Ottosson 2020.
Oklab to_oklab(const Rgb& colour) {
  const double r = to_linear(colour.red), g = to_linear(colour.green), b = to_linear(colour.blue);
  const double l = std::cbrt(.4122214708 * r + .5363325363 * g + .0514459929 * b);
  const double m = std::cbrt(.2119034982 * r + .6806995451 * g + .1073969566 * b);
  const double s = std::cbrt(.0883024619 * r + .2817188376 * g + .6299787005 * b);
  return {.2104542553 * l + .7936177850 * m - .0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + .4505937099 * s,
          .0259040371 * l + .7827717662 * m - .8086757660 * s};
}

Rgb from_oklab(const Oklab& colour) {
  const double l = std::pow(colour.l + .3963377774 * colour.a + .2158037573 * colour.b, 3);
  const double m = std::pow(colour.l - .1055613458 * colour.a - .0638541728 * colour.b, 3);
  const double s = std::pow(colour.l - .0894841775 * colour.a - 1.2914855480 * colour.b, 3);
  return {from_linear(4.0767416621 * l - 3.3077115913 * m + .2309699292 * s),
          from_linear(-1.2684380046 * l + 2.6097574011 * m - .3413193965 * s),
          from_linear(-.0041960863 * l - .7034186147 * m + 1.7076147010 * s)};
}

// The colour at this part of the way in lightness from the first of the ramp to the last.
Rgb blend(std::span<const Rgb> ramp, double place) {
  const double first = lightness(ramp.front()), last = lightness(ramp.back());
  const double wanted = first + place * (last - first);
  for (std::size_t i = 0; i + 1 < ramp.size(); ++i) {
    const Oklab from = to_oklab(ramp[i]), to = to_oklab(ramp[i + 1]);
    const double part = (wanted - from.l) / (to.l - from.l);
    if (part > 1 && i + 2 < ramp.size()) continue;
    return from_oklab({wanted, from.a + part * (to.a - from.a), from.b + part * (to.b - from.b)});
  }
  return ramp.back();
}

double luminance(const Rgb& colour) {
  return .2126 * to_linear(colour.red) + .7152 * to_linear(colour.green) +
         .0722 * to_linear(colour.blue);
}

}  // namespace

const std::vector<std::string>& ramp_names() {
  static const std::vector<std::string> names = {"blue", "cividis", "gray"};
  return names;
}

Rgb ColourMap::blank() const {
  if (ramp_ == Ramp::gray) return rgb(0x000000);
  return theme_ == Theme::light ? kBlueOnLight.front() : kBlueOnDark.front();
}

Rgb ColourMap::of(double share) const {
  if (share == 0) return blank();
  const bool light = theme_ == Theme::light;
  const double place = kLeastTint + (1 - kLeastTint) * std::min(std::abs(share), 1.);
  if (share < 0) return blend(light ? kMagentaOnLight : kMagentaOnDark, place);
  switch (ramp_) {
    case Ramp::gray:
      return {place, place, place};
    // It has no ground of its own to begin at, so all of it is used.
    case Ramp::cividis:
      return blend(kCividis, light ? 1 - std::min(share, 1.) : std::min(share, 1.));
    case Ramp::diverging:
      return blend(light ? kTealOnLight : kTealOnDark, place);
    case Ramp::blue:
      break;
  }
  return blend(light ? kBlueOnLight : kBlueOnDark, place);
}

double contrast(const Rgb& a, const Rgb& b) {
  const double one = luminance(a), other = luminance(b);
  return (std::max(one, other) + .05) / (std::min(one, other) + .05);
}

Rgb ink_on(const Rgb& ground) {
  const Rgb black = rgb(0x000000), white = rgb(0xffffff);
  return contrast(black, ground) >= contrast(white, ground) ? black : white;
}

double lightness(const Rgb& colour) {
  return to_oklab(colour).l;
}

}  // namespace heed::insight
