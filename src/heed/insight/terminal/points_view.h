// SPDX-License-Identifier: Apache-2.0
// Points and the way through them, in the terminal.
#pragma once

#include <string>

#include "heed/base/exported.h"
#include "heed/corpora/points/plane.h"

namespace heed::insight {

struct PointsViewOptions {
  int columns = 48;  // of the drawing; it is half as many rows high
  bool closed = true;
};

// Points as their numbers, the way between them as dots.
//
//   3
//    ·  ·
//   ·      · 2
//   1 · ·
HEED_EXPORTED std::string points_view(const corpora::Points& points, const corpora::Route& route,
                                      const PointsViewOptions& options = {});

}  // namespace heed::insight
