// SPDX-License-Identifier: Apache-2.0
// Patches around places: plain loops over rows of pixels, for the networks that read them take a
// hundred times as long.
#include "heed/kernels/glimpse.h"

#include <algorithm>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

namespace heed::kernels {
namespace {

// The part of a patch that lies on the image: pixel `first` to before `last` of its side.
struct OnImage {
  std::size_t first = 0;
  std::size_t last = 0;
};

OnImage on_image(std::ptrdiff_t corner, std::size_t side, std::size_t length) noexcept {
  const auto clipped = [&](std::ptrdiff_t pixel) {
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(pixel, 0, static_cast<std::ptrdiff_t>(side)));
  };
  return {clipped(-corner), clipped(static_cast<std::ptrdiff_t>(length) - corner)};
}

// Calls body(image offset, cell offset, scale) for every pixel of every patch of one image, channel
// 0; a cell is of size * size.
template <typename T, typename Body>
void each_pixel(const T* place, const GlimpseShape& shape, const Body& body) noexcept {
  std::size_t block = 1;  // pixels of a cell along an axis
  for (std::size_t scale = 0; scale < shape.scales; ++scale, block *= shape.factor) {
    const std::size_t side = shape.size * block;
    const std::ptrdiff_t left = glimpse_corner(static_cast<double>(place[0]), shape.width, side);
    const std::ptrdiff_t top = glimpse_corner(static_cast<double>(place[1]), shape.height, side);
    const OnImage across = on_image(left, side, shape.width);
    const OnImage down = on_image(top, side, shape.height);
    const std::size_t patch = scale * shape.patch_size();
    for (std::size_t y = down.first; y < down.last; ++y) {
      const auto row = static_cast<std::size_t>(top + static_cast<std::ptrdiff_t>(y));
      const std::size_t cells = patch + y / block * shape.size * shape.channels;
      std::size_t cell = across.first / block, inside = across.first % block;
      for (std::size_t x = across.first; x < across.last; ++x) {
        const auto column = static_cast<std::size_t>(left + static_cast<std::ptrdiff_t>(x));
        body((row * shape.width + column) * shape.channels, cells + cell * shape.channels, scale);
        if (++inside == block) {
          inside = 0;
          ++cell;
        }
      }
    }
  }
}

std::size_t image_grain(const GlimpseShape& shape) noexcept {
  return kElementwiseGrain / 4 / std::max<std::size_t>(1, shape.scales * shape.patch_size()) + 1;
}

// 1 over the pixels of a cell, by scale.
template <typename T>
T share_of_pixel(const GlimpseShape& shape, std::size_t scale) noexcept {
  T pixels = 1;
  for (std::size_t i = 0; i < scale; ++i) pixels *= static_cast<T>(shape.factor * shape.factor);
  return 1 / pixels;
}

}  // namespace

template <typename T>
void glimpse(const T* images, const T* places, const GlimpseShape& shape, T* patches) noexcept {
  const std::size_t size = shape.scales * shape.patch_size();
  parallel_for(shape.images, image_grain(shape), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const T* const image = images + i * shape.image_size();
      T* const out = patches + i * size;
      std::fill_n(out, size, T{0});
      each_pixel(places + 2 * i, shape, [&](std::size_t pixel, std::size_t cell, std::size_t) {
        for (std::size_t c = 0; c < shape.channels; ++c) out[cell + c] += image[pixel + c];
      });
      for (std::size_t scale = 1; scale < shape.scales; ++scale) {
        const T share = share_of_pixel<T>(shape, scale);
        T* const patch = out + scale * shape.patch_size();
        for (std::size_t k = 0; k < shape.patch_size(); ++k) patch[k] *= share;
      }
    }
  });
}

template <typename T>
void glimpse_backward(const T* dpatches, const T* places, const GlimpseShape& shape,
                      T* dimages) noexcept {
  const std::size_t size = shape.scales * shape.patch_size();
  parallel_for(shape.images, image_grain(shape), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      T* const image = dimages + i * shape.image_size();
      const T* const dy = dpatches + i * size;
      each_pixel(places + 2 * i, shape,
                 [&](std::size_t pixel, std::size_t cell, std::size_t scale) {
                   const T share = share_of_pixel<T>(shape, scale);
                   for (std::size_t c = 0; c < shape.channels; ++c) {
                     image[pixel + c] += share * dy[cell + c];
                   }
                 });
    }
  });
}

template void glimpse(const Scalar*, const Scalar*, const GlimpseShape&, Scalar*) noexcept;
template void glimpse_backward(const Scalar*, const Scalar*, const GlimpseShape&, Scalar*) noexcept;

}  // namespace heed::kernels
