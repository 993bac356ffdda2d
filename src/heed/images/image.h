// SPDX-License-Identifier: Apache-2.0
// A picture as numbers: what is decoded, drawn by a corpus, looked at by a model and painted over.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::images {

// [H,W,C]: rows from the top, in each the pixels from the left, of each its channels side by side.
// One channel is grey, 0 black; three are red, green and blue as sRGB has them, not linear light.
// Models take tensors [B,C,H,W]: models/image_encoder.h makes them.
struct Image {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 1;
  std::vector<float> pixels{};  // 0 to 1

  // Of one value.
  static Image filled(std::int64_t height, std::int64_t width, std::int64_t channels = 1,
                      float value = 0);
  // Of bytes, 0 to 255, in the same order. UsageError for another number of them.
  static Image of_bytes(std::int64_t height, std::int64_t width, std::int64_t channels,
                        std::span<const std::uint8_t> bytes);

  // Values are held between 0 and 1 and rounded; NaN becomes 0.
  std::vector<std::uint8_t> bytes() const;

  float& at(std::int64_t row, std::int64_t column, std::int64_t channel = 0) {
    return pixels[index(row, column, channel)];
  }
  float at(std::int64_t row, std::int64_t column, std::int64_t channel = 0) const {
    return pixels[index(row, column, channel)];
  }
  bool empty() const { return pixels.empty(); }
  // "60 x 40, 3 channels": width first, as programs that show images say it.
  std::string size_text() const;

  bool operator==(const Image&) const = default;

 private:
  std::size_t index(std::int64_t row, std::int64_t column, std::int64_t channel) const {
    return static_cast<std::size_t>((row * width + column) * channels + channel);
  }
};

// With 1 or 3 channels: grey is weighed as .299 red + .587 green + .114 blue (BT.601), colour of
// grey has three equal channels. UsageError for other numbers of channels.
Image with_channels(const Image& image, std::int64_t channels);

// A box of pixels: from left and top to before right and bottom.
struct Box {
  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t right = 0;
  std::int64_t bottom = 0;

  std::int64_t area() const { return (right - left) * (bottom - top); }
  bool contains(std::int64_t row, std::int64_t column) const {
    return row >= top && row < bottom && column >= left && column < right;
  }
  bool operator==(const Box&) const = default;
};

}  // namespace heed::images

#pragma GCC visibility pop
