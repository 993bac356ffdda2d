// SPDX-License-Identifier: Apache-2.0
// Pictures of overlays: the views of a scene side by side, below each its word, its gate, the
// patches of a glimpse as they were seen and the chances of classes.
#pragma once  // public header

#include <cstddef>
#include <string>

#include "heed/insight/draw/overlay.h"
#include "heed/insight/draw/picture_frame.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// UsageError as check_overlay, and for densities that are none.
std::string overlay_svg(const OverlayScene& scene, const PictureStyle& style = {});
std::string overlay_png(const OverlayScene& scene, const PictureStyle& style = {},
                        double scale = 2);

// The views alone, without title and legend.
Drawing overlay_drawing(const OverlayScene& scene, const PictureStyle& style = {});
// Where view number `view` has its image there.
Box overlay_box(const OverlayScene& scene, std::size_t view);

}  // namespace heed::insight

#pragma GCC visibility pop
