// SPDX-License-Identifier: Apache-2.0
// One side after the other: a new pixel is a weighted sum of a run of old ones.
#include "heed/images/resize.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed::images {
namespace {

// The old pixels that one new pixel is made of: `first` and those after it.
struct Run {
  std::int64_t first = 0;
  std::vector<float> weights{};
};

std::vector<Run> runs(std::int64_t from, std::int64_t to) {
  std::vector<Run> all(static_cast<std::size_t>(to));
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  for (std::int64_t i = 0; i < to; ++i) {
    Run& run = all[static_cast<std::size_t>(i)];
    if (from > to) {  // the share of each that lies under the new pixel
      const double begin = static_cast<double>(i) * scale;
      const double end = std::min(begin + scale, static_cast<double>(from));
      run.first = static_cast<std::int64_t>(begin);
      for (std::int64_t j = run.first; static_cast<double>(j) < end && j < from; ++j) {
        const double covered =
            std::min(end, static_cast<double>(j + 1)) - std::max(begin, static_cast<double>(j));
        run.weights.push_back(static_cast<float>(covered / (end - begin)));
      }
    } else {  // centres lie at half pixels; beyond the outermost there is nothing to mix with
      const double centre = std::clamp((static_cast<double>(i) + .5) * scale - .5, 0.0,
                                       static_cast<double>(from - 1));
      run.first = std::min(static_cast<std::int64_t>(centre), std::max<std::int64_t>(0, from - 2));
      const auto share = static_cast<float>(centre - static_cast<double>(run.first));
      run.weights.push_back(1 - share);
      if (from > 1) run.weights.push_back(share);
    }
  }
  return all;
}

// A triangle over each new pixel's centre, as wide as two new pixels or two old ones.
std::vector<Run> triangles(std::int64_t from, std::int64_t to) {
  std::vector<Run> all(static_cast<std::size_t>(to));
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(scale, 1.);
  for (std::int64_t i = 0; i < to; ++i) {
    Run& run = all[static_cast<std::size_t>(i)];
    const double centre = (static_cast<double>(i) + .5) * scale;
    run.first = std::max<std::int64_t>(0, std::llround(centre - reach));
    const auto last = std::min(from, std::int64_t{std::llround(centre + reach)});
    double sum = 0;
    for (std::int64_t j = run.first; j < last; ++j) {
      const double away = std::abs(static_cast<double>(j) + .5 - centre) / reach;
      const double weight = std::max(0., 1 - away);
      sum += weight;
      run.weights.push_back(static_cast<float>(weight));
    }
    for (float& weight : run.weights) weight /= static_cast<float>(sum);
  }
  return all;
}

std::vector<Run> runs(std::int64_t from, std::int64_t to, Sampling sampling) {
  return sampling == Sampling::triangle ? triangles(from, to) : runs(from, to);
}

}  // namespace

Image resized(const Image& image, std::int64_t height, std::int64_t width, Sampling sampling) {
  if (height == image.height && width == image.width) return image;
  Image narrow = Image::filled(image.height, width, image.channels);
  const std::vector<Run> across = runs(image.width, width, sampling);
  for (std::int64_t y = 0; y < image.height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const Run& run = across[static_cast<std::size_t>(x)];
      for (std::size_t i = 0; i < run.weights.size(); ++i) {
        for (std::int64_t c = 0; c < image.channels; ++c) {
          narrow.at(y, x, c) +=
              run.weights[i] * image.at(y, run.first + static_cast<std::int64_t>(i), c);
        }
      }
    }
  }
  Image made = Image::filled(height, width, image.channels);
  const std::vector<Run> down = runs(image.height, height, sampling);
  const std::int64_t row = width * image.channels;
  for (std::int64_t y = 0; y < height; ++y) {
    const Run& run = down[static_cast<std::size_t>(y)];
    float* const to = made.pixels.data() + y * row;
    for (std::size_t i = 0; i < run.weights.size(); ++i) {
      const float* const from =
          narrow.pixels.data() + (run.first + static_cast<std::int64_t>(i)) * row;
      for (std::int64_t x = 0; x < row; ++x) to[x] += run.weights[i] * from[x];
    }
  }
  return made;
}

Image cropped(const Image& image, const Box& box) {
  if (box.left < 0 || box.top < 0 || box.left >= box.right || box.top >= box.bottom ||
      box.right > image.width || box.bottom > image.height) {
    throw UsageError("a box from {}, {} to {}, {} of an image of {}; it must lie within", box.left,
                     box.top, box.right, box.bottom, image.size_text());
  }
  Image part = Image::filled(box.bottom - box.top, box.right - box.left, image.channels);
  for (std::int64_t y = 0; y < part.height; ++y) {
    const float* const from =
        image.pixels.data() + ((box.top + y) * image.width + box.left) * image.channels;
    std::copy_n(from, part.width * image.channels,
                part.pixels.data() + y * part.width * image.channels);
  }
  return part;
}

Image fitted(const Image& image, std::int64_t height, std::int64_t width, float ground) {
  Image canvas = Image::filled(height, width, image.channels, ground);
  const double scale = std::min(static_cast<double>(height) / static_cast<double>(image.height),
                                static_cast<double>(width) / static_cast<double>(image.width));
  const auto side = [scale](std::int64_t from, std::int64_t most) {
    return std::clamp<std::int64_t>(std::llround(static_cast<double>(from) * scale), 1, most);
  };
  const Image inside = resized(image, side(image.height, height), side(image.width, width));
  const std::int64_t top = (height - inside.height) / 2, left = (width - inside.width) / 2;
  for (std::int64_t y = 0; y < inside.height; ++y) {
    std::copy_n(inside.pixels.data() + y * inside.width * image.channels,
                inside.width * image.channels,
                canvas.pixels.data() + ((top + y) * width + left) * image.channels);
  }
  return canvas;
}

}  // namespace heed::images
