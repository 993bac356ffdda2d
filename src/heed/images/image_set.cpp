// SPDX-License-Identifier: Apache-2.0
// Images beside each other in memory.
#include "heed/images/image_set.h"

#include "heed/base/error.h"

namespace heed::images {

Image ImageSet::image(std::int64_t which) const {
  return Image::of_bytes(rows, columns, channels,
                         {image_data(which), static_cast<std::size_t>(image_bytes())});
}

void ImageSet::add(const Image& image, int label) {
  if (labels.empty() && rows == 0) {
    rows = image.height;
    columns = image.width;
    channels = image.channels;
  }
  if (image.height != rows || image.width != columns || image.channels != channels) {
    throw UsageError("an image of {} for a set of {} x {}, {} channels; resize it",
                     image.size_text(), columns, rows, channels);
  }
  const std::vector<std::uint8_t> bytes = image.bytes();
  pixels.insert(pixels.end(), bytes.begin(), bytes.end());
  labels.push_back(label);
}

ImageSet ImageSet::slice(std::int64_t first, std::int64_t last) const {
  return {.rows = rows,
          .columns = columns,
          .channels = channels,
          .pixels = {pixels.begin() + first * image_bytes(), pixels.begin() + last * image_bytes()},
          .labels = {labels.begin() + first, labels.begin() + last},
          .names = names};
}

}  // namespace heed::images
