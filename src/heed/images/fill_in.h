// SPDX-License-Identifier: Apache-2.0
// Images whose missing parts are guessed from what is around them: what an image would look like
// without a thing.
#pragma once

#include <vector>

#include "heed/images/image.h"

namespace heed::images {

// Each missing pixel becomes the mean of the nearest ones that are there to its left and right,
// above and below, each by 1 / distance; where all four are missing it becomes the mean of all that
// are there, and of an image of which nothing is there the mean of all pixels. `missing` [H W], row
// by row; UsageError for another number of them.
Image filled_in(const Image& image, const std::vector<bool>& missing);

}  // namespace heed::images
