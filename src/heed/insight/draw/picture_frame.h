// SPDX-License-Identifier: Apache-2.0
// What every picture of weights has around it: a title, a legend of its colours, a caption.
#pragma once

#include <string>
#include <vector>

#include "heed/insight/draw/canvas.h"
#include "heed/insight/draw/colour_map.h"
#include "heed/insight/draw/matrix_view.h"

namespace heed::insight {

// The least weight whose number is written: less would read ".00".
inline constexpr double kLeastNumber = .005;

struct PictureStyle {
  Theme theme = Theme::light;
  Ramp colours = Ramp::blue;
};

// The colours of a theme beside those of weights. Ink and dim text read at 4.5:1 or better.
struct Palette {
  Rgb ground = {};
  Rgb ink = {};
  Rgb dim = {};     // text of second rank
  Rgb faint = {};   // borders
  Rgb hatch = {};   // lines over masked cells
  Rgb accent = {};  // bars
};
Palette palette_of(Theme theme);

// What the colours of a picture stand for.
struct Legend {
  double largest = 1;       // the weight of the strongest colour; 0: each part has its own
  bool zeros = false;       // whether blank cells turn up
  bool masked = false;      // whether hatched ones do
  bool below_zero = false;  // whether the range begins at -largest
  bool none = false;        // whether nothing has a colour that must be explained
  std::vector<Rgb> ramp{};  // from the least weight to the largest; empty: the style's
};
Legend legend_of(const Tensor& weights, Ramp colours);

struct Frame {
  PictureStyle style = {};
  std::string title = {};
  std::string subtitle = {};
  std::string caption = {};
  Legend legend = {};
};

// The drawing with its frame; its own size grows as these need.
Drawing framed(Drawing content, const Frame& frame);

}  // namespace heed::insight
