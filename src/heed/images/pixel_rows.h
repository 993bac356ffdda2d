// SPDX-License-Identifier: Apache-2.0
// Images as sequences: row after row of pixels, each a whole number, as a table of labels and
// texts. So anything that reads labelled texts reads images, one token for each pixel.
//
//   7<TAB>0 0 12 255 ...
#pragma once  // public header

#include <cstdint>
#include <string>

#include "heed/images/image_set.h"

#pragma GCC visibility push(default)  // exported

namespace heed::images {

struct PixelRows {
  std::int64_t levels = 256;  // of a pixel: 0 is black, levels - 1 white
};

// A line for each image: the name of its label, a tab, its pixels with spaces between them; of
// colours red, green and blue of a pixel one after the other. UsageError for levels outside 2 to
// 256 and for a name that holds a tab or a line break.
std::string pixel_rows(const ImageSet& set, const PixelRows& options = {});

}  // namespace heed::images

#pragma GCC visibility pop
