// SPDX-License-Identifier: Apache-2.0
// Images to and from bytes, grey and colour.
#include "heed/images/image.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed::images {
namespace {

void check_size(std::int64_t height, std::int64_t width, std::int64_t channels) {
  if (height < 1 || width < 1 || (channels != 1 && channels != 3)) {
    throw UsageError("an image of {} x {} pixels and {} channels; it takes 1 or more, with 1 or 3",
                     width, height, channels);
  }
}

}  // namespace

Image Image::filled(std::int64_t height, std::int64_t width, std::int64_t channels, float value) {
  check_size(height, width, channels);
  return {.height = height,
          .width = width,
          .channels = channels,
          .pixels = std::vector<float>(static_cast<std::size_t>(height * width * channels), value)};
}

Image Image::of_bytes(std::int64_t height, std::int64_t width, std::int64_t channels,
                      std::span<const std::uint8_t> bytes) {
  check_size(height, width, channels);
  if (std::ssize(bytes) != height * width * channels) {
    throw UsageError("{} bytes for an image of {} x {} pixels and {} channels; it takes {}",
                     bytes.size(), width, height, channels, height * width * channels);
  }
  Image image{.height = height, .width = width, .channels = channels};
  image.pixels.resize(bytes.size());
  std::ranges::transform(bytes, image.pixels.begin(),
                         [](std::uint8_t byte) { return static_cast<float>(byte) / 255; });
  return image;
}

std::vector<std::uint8_t> Image::bytes() const {
  std::vector<std::uint8_t> bytes(pixels.size());
  std::ranges::transform(pixels, bytes.begin(), [](float value) {
    // NaN fails the first comparison and stays out of the conversion, which it would make
    // undefined.
    return value > 0 ? static_cast<std::uint8_t>(std::lround(std::min(value, 1.0f) * 255))
                     : std::uint8_t{0};
  });
  return bytes;
}

std::string Image::size_text() const {
  return fmt::format("{} x {}, {} channel{}", width, height, channels, channels == 1 ? "" : "s");
}

Image with_channels(const Image& image, std::int64_t channels) {
  if (channels == image.channels) return image;
  Image changed = Image::filled(image.height, image.width, channels);
  const std::size_t count = image.pixels.size() / static_cast<std::size_t>(image.channels);
  for (std::size_t i = 0; i < count; ++i) {
    if (channels == 1) {
      const float* const pixel = image.pixels.data() + 3 * i;
      changed.pixels[i] = 0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
    } else {
      std::fill_n(changed.pixels.data() + 3 * i, 3, image.pixels[i]);
    }
  }
  return changed;
}

}  // namespace heed::images
