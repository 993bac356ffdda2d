// SPDX-License-Identifier: Apache-2.0
// Overlays in the terminal: two pixels a character, in colours; without colours, shades of
// characters.
#pragma once

#include <string>

#include "heed/base/exported.h"
#include "heed/insight/draw/overlay.h"
#include "heed/insight/terminal/shade.h"

namespace heed::insight {

struct OverlayViewOptions {
  int columns = 28;  // of one view, at most
  Screen screen = {};
};

// Views beside each other as the screen's width allows, each with its label, its gate and its
// likeliest class below; gold boxes are outlined, stops of a path are their numbers. UsageError as
// check_overlay.
HEED_EXPORTED std::string overlay_view(const OverlayScene& scene,
                                       const OverlayViewOptions& options = {});

}  // namespace heed::insight
