// SPDX-License-Identifier: Apache-2.0
// The matrix of weights: keys across, queries down, sums beside it, numbers where there is room.
#pragma once

#include <cstdint>

#include "heed/insight/draw/canvas.h"
#include "heed/insight/draw/matrix_view.h"
#include "heed/insight/draw/picture_frame.h"

namespace heed::insight {

// Where things are in the drawing.
struct MatrixLayout {
  Size size = {};
  Box cells = {};          // all of them
  double cell = 0;         // a side of one
  double angle = 0;        // of the keys' names
  std::int64_t every = 1;  // how many tokens share a name, so that names do not touch
  bool numbers = false;    // whether cells carry their numbers
};
MatrixLayout matrix_layout(const MatrixView& view);
Box cell_box(const MatrixLayout& layout, std::int64_t query, std::int64_t key);

Drawing matrix_drawing(const MatrixView& view, const PictureStyle& style);

}  // namespace heed::insight
