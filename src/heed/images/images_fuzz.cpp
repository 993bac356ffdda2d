// SPDX-License-Identifier: Apache-2.0
// Fuzz target of images of every format.
#include "heed/base/fuzzing.h"
#include "heed/images/image_file.h"
#include "heed/images/resize.h"

namespace heed::test {
namespace {

bool read_image_file(std::string_view bytes) {
  return accepted([&] {
    const images::Image image = images::parse_image({bytes, "image"});
    require(std::ssize(image.pixels) == image.height * image.width * image.channels,
            "pixels of another number than the size");
    const std::int64_t small = 1 << 16;  // writing what is large would take the run's time
    if (image.height * image.width > small) return;
    const images::Image again = images::parse_image({images::png_bytes(image), "again"});
    require(again.bytes() == image.bytes(), "an image that PNG does not keep");
    images::fitted(image, 7, 5);
  });
}
const FuzzTarget kImages("images", read_image_file);

}  // namespace
}  // namespace heed::test
