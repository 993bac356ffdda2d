// SPDX-License-Identifier: Apache-2.0
// Links: two rows of words, joined by a curve where a query put most of its weight.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/insight/draw/canvas.h"
#include "heed/insight/draw/matrix_view.h"
#include "heed/insight/draw/picture_frame.h"

namespace heed::insight {

struct ViewLink {
  std::int64_t query = 0;
  std::int64_t key = 0;
  double weight = 0;
};

// For each query its heaviest keys, heaviest first, until they hold this share of its weight;
// nothing that is zero or masked. UsageError for a share outside (0, 1].
std::vector<ViewLink> links_of(const MatrixView& view, double mass = .8);

// Keys above, queries below; words that read from the right begin there.
Drawing links_drawing(const MatrixView& view, const PictureStyle& style, double mass = .8);

}  // namespace heed::insight
