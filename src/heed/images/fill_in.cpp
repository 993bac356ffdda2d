// SPDX-License-Identifier: Apache-2.0
// Four sweeps, each of which remembers the last pixel that was there.
#include "heed/images/fill_in.h"

#include "heed/base/error.h"

namespace heed::images {
namespace {

struct Line {
  std::int64_t begin = 0, step = 1, count = 0;  // pixels, in the order of a sweep
};

// Rows from both ends, then columns from both.
std::vector<Line> sweeps(const Image& image) {
  std::vector<Line> lines;
  const std::int64_t height = image.height, width = image.width;
  for (std::int64_t y = 0; y < height; ++y) {
    lines.push_back({y * width, 1, width});
    lines.push_back({y * width + width - 1, -1, width});
  }
  for (std::int64_t x = 0; x < width; ++x) {
    lines.push_back({x, width, height});
    lines.push_back({(height - 1) * width + x, -width, height});
  }
  return lines;
}

}  // namespace

Image filled_in(const Image& image, const std::vector<bool>& missing) {
  const std::int64_t area = image.height * image.width, channels = image.channels;
  if (std::ssize(missing) != area) {
    throw UsageError("filled in: {} marks for an image of {}; give one for each pixel",
                     missing.size(), image.size_text());
  }
  const auto there = [&](std::int64_t pixel) { return !missing[static_cast<std::size_t>(pixel)]; };
  const auto value = [&](std::int64_t pixel, std::int64_t channel) {
    return static_cast<double>(image.pixels[static_cast<std::size_t>(pixel * channels + channel)]);
  };
  std::vector<double> sums(image.pixels.size(), 0), weights(missing.size(), 0);
  for (const Line& line : sweeps(image)) {
    std::int64_t last = -1;  // the count of steps at which a pixel was there
    for (std::int64_t i = 0; i < line.count; ++i) {
      const std::int64_t pixel = line.begin + i * line.step;
      if (there(pixel)) {
        last = i;
      } else if (last >= 0) {
        const double weight = 1 / static_cast<double>(i - last);
        weights[static_cast<std::size_t>(pixel)] += weight;
        for (std::int64_t c = 0; c < channels; ++c) {
          sums[static_cast<std::size_t>(pixel * channels + c)] +=
              weight * value(line.begin + last * line.step, c);
        }
      }
    }
  }
  const bool nothing = missing == std::vector<bool>(missing.size(), true);
  std::vector<double> mean(static_cast<std::size_t>(channels), 0);
  double counted = 0;
  for (std::int64_t pixel = 0; pixel < area; ++pixel) {
    if (!nothing && !there(pixel)) continue;
    ++counted;
    for (std::int64_t c = 0; c < channels; ++c)
      mean[static_cast<std::size_t>(c)] += value(pixel, c);
  }
  Image filled = image;
  for (std::int64_t pixel = 0; pixel < area; ++pixel) {
    if (there(pixel)) continue;
    const double weight = weights[static_cast<std::size_t>(pixel)];
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto at = static_cast<std::size_t>(pixel * channels + c);
      filled.pixels[at] = static_cast<float>(
          weight > 0 ? sums[at] / weight : mean[static_cast<std::size_t>(c)] / counted);
    }
  }
  return filled;
}

}  // namespace heed::images
