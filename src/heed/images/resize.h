// SPDX-License-Identifier: Apache-2.0
// Images of another size.
#pragma once  // public header

#include "heed/images/image.h"

#pragma GCC visibility push(default)  // exported

namespace heed::images {

// cover: the mean of what a pixel covers when an image shrinks, bilinear when it grows; triangle:
// bilinear, and over as many more pixels as an image shrinks, as the Python imaging library does.
enum class Sampling { cover, triangle };

// Each side by itself, so that a circle may become an ellipse. UsageError for sides below 1.
Image resized(const Image& image, std::int64_t height, std::int64_t width,
              Sampling sampling = Sampling::cover);

// The whole image as large as fits, in the middle of `ground`: nothing is stretched or cut off.
Image fitted(const Image& image, std::int64_t height, std::int64_t width, float ground = 0);

// A part of the image, which must lie within it (UsageError).
Image cropped(const Image& image, const Box& box);

}  // namespace heed::images

#pragma GCC visibility pop
