// SPDX-License-Identifier: Apache-2.0
// Shades: what a terminal can show, and a weight as the background of a text or as a short number.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "heed/base/exported.h"
#include "heed/insight/draw/colour_map.h"

namespace heed::insight {

enum class Colour { none, indexed, full };  // plain characters, 256 colours, 24 bits

// What a stream can show.
struct Screen {
  std::size_t width = 80;  // columns
  Colour colour = Colour::none;
  Theme theme = Theme::dark;  // of its ground
  Ramp colours = Ramp::blue;
};

// The screen behind a file descriptor: colours on a terminal only, 24 bits where COLORTERM says so,
// none under NO_COLOR or TERM=dumb; light where COLORFGBG says so; where nothing gives the width,
// COLUMNS or 80.
HEED_EXPORTED Screen screen_of(int descriptor);

// Text on a background as strong as `share` of the largest magnitude, from -1 to 1; negative
// weights have a hue of their own. An exact zero has no background, any other weight is tinted. The
// text itself where there are no colours.
std::string shaded(std::string_view text, double share, const Screen& screen);

// The nearest of the 6 x 6 x 6 cube of the 256 colours.
int indexed_colour(const Rgb& colour);

// This many columns that say "masked": strokes, which no weight has.
std::string hatched(std::size_t columns, const Screen& screen);

// ".53", "1.0", "-.07", "12"; at most five columns.
std::string weight_text(double weight);

}  // namespace heed::insight
