// SPDX-License-Identifier: Apache-2.0
// Patches around places: plain loops over rows of pixels that the compiler turns into vectors. The
// rows of a cell are added up before its columns are: pixel by pixel, three scales took 21% of a
// training step.
#include "heed/kernels/glimpse.h"

#include <algorithm>
#include <vector>

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

// Of one patch: where it lies, and how many pixels of an axis make a cell.
struct PatchPlace {
  template <typename T>
  PatchPlace(const T* place, const GlimpseShape& shape, std::size_t block_size)
      : block(block_size),
        left(glimpse_corner(static_cast<double>(place[0]), shape.width, shape.size * block_size)),
        top(glimpse_corner(static_cast<double>(place[1]), shape.height, shape.size * block_size)),
        across(on_image(left, shape.size * block_size, shape.width)),
        down(on_image(top, shape.size * block_size, shape.height)) {}

  // The first pixel on the image of row y of the patch, from the image's beginning.
  std::size_t pixel(std::size_t y, const GlimpseShape& shape) const noexcept {
    const auto row = static_cast<std::size_t>(top + static_cast<std::ptrdiff_t>(y));
    const auto column = static_cast<std::size_t>(left + static_cast<std::ptrdiff_t>(across.first));
    return (row * shape.width + column) * shape.channels;
  }
  // Pixels of a row that lie on the image.
  std::size_t columns() const noexcept { return across.last - across.first; }
  bool empty() const noexcept { return across.first >= across.last || down.first >= down.last; }

  std::size_t block;
  std::ptrdiff_t left, top;
  OnImage across, down;
};

// Calls body(offset of a pixel on the image in its row, offset of its cell in a row of cells), for
// channel 0.
template <typename Body>
void each_column(const PatchPlace& at, std::size_t channels, const Body& body) noexcept {
  std::size_t cell = at.across.first / at.block, inside = at.across.first % at.block;
  for (std::size_t x = 0; x < at.columns(); ++x) {
    body(x * channels, cell * channels);
    if (++inside == at.block) {
      inside = 0;
      ++cell;
    }
  }
}

// The cells of one patch, 0 before; `line` has room for a row of pixels.
template <typename T>
void look_at(const T* image, const PatchPlace& at, const GlimpseShape& shape, T* line,
             T* cells) noexcept {
  const std::size_t channels = shape.channels, count = at.columns() * channels;
  const std::size_t row_of_cells = shape.size * channels;
  if (at.block == 1) {
    for (std::size_t y = at.down.first; y < at.down.last; ++y) {
      std::copy_n(image + at.pixel(y, shape), count,
                  cells + y * row_of_cells + at.across.first * channels);
    }
    return;
  }
  const T share = 1 / static_cast<T>(at.block * at.block);
  for (std::size_t y = at.down.first; y < at.down.last;) {
    T* const row = cells + y / at.block * row_of_cells;
    const std::size_t end = std::min(at.down.last, (y / at.block + 1) * at.block);
    std::copy_n(image + at.pixel(y, shape), count, line);
    for (++y; y < end; ++y) {
      const T* pixels = image + at.pixel(y, shape);
      for (std::size_t i = 0; i < count; ++i) line[i] += pixels[i];
    }
    each_column(at, channels, [&](std::size_t pixel, std::size_t cell) {
      for (std::size_t c = 0; c < channels; ++c) row[cell + c] += line[pixel + c];
    });
    for (std::size_t i = 0; i < row_of_cells; ++i) row[i] *= share;
  }
}

// What look_at() does, turned round: cells are added to the pixels they are the mean of.
template <typename T>
void give_back(const T* cells, const PatchPlace& at, const GlimpseShape& shape, T* line,
               T* image) noexcept {
  const std::size_t channels = shape.channels, count = at.columns() * channels;
  const T share = 1 / static_cast<T>(at.block * at.block);
  for (std::size_t y = at.down.first; y < at.down.last;) {
    const T* const row = cells + y / at.block * shape.size * channels;
    const std::size_t end = std::min(at.down.last, (y / at.block + 1) * at.block);
    each_column(at, channels, [&](std::size_t pixel, std::size_t cell) {
      for (std::size_t c = 0; c < channels; ++c) line[pixel + c] = share * row[cell + c];
    });
    for (; y < end; ++y) {
      T* pixels = image + at.pixel(y, shape);
      for (std::size_t i = 0; i < count; ++i) pixels[i] += line[i];
    }
  }
}

// Calls body(place, offset of the patch) for every patch of one image on which there is something.
template <typename T, typename Body>
void each_patch(const T* place, const GlimpseShape& shape, const Body& body) noexcept {
  std::size_t block = 1;
  for (std::size_t scale = 0; scale < shape.scales; ++scale, block *= shape.factor) {
    const PatchPlace at(place, shape, block);
    if (!at.empty()) body(at, scale * shape.patch_size());
  }
}

// A row of pixels, kept between calls so that a steady step does not allocate.
template <typename T>
T* line_of(const GlimpseShape& shape) noexcept {
  thread_local std::vector<T> line;
  line.resize(shape.width * shape.channels);
  return line.data();
}

std::size_t image_grain(const GlimpseShape& shape) noexcept {
  return kElementwiseGrain / 4 / std::max<std::size_t>(1, shape.scales * shape.patch_size()) + 1;
}

}  // namespace

template <typename T>
void glimpse(const T* images, const T* places, const GlimpseShape& shape, T* patches) noexcept {
  const std::size_t size = shape.scales * shape.patch_size();
  parallel_for(shape.images, image_grain(shape), [&](std::size_t begin, std::size_t end) {
    T* const line = line_of<T>(shape);
    for (std::size_t i = begin; i < end; ++i) {
      T* const out = patches + i * size;
      std::fill_n(out, size, T{0});
      each_patch(places + 2 * i, shape, [&](const PatchPlace& at, std::size_t patch) {
        look_at(images + i * shape.image_size(), at, shape, line, out + patch);
      });
    }
  });
}

template <typename T>
void glimpse_backward(const T* dpatches, const T* places, const GlimpseShape& shape,
                      T* dimages) noexcept {
  const std::size_t size = shape.scales * shape.patch_size();
  parallel_for(shape.images, image_grain(shape), [&](std::size_t begin, std::size_t end) {
    T* const line = line_of<T>(shape);
    for (std::size_t i = begin; i < end; ++i) {
      each_patch(places + 2 * i, shape, [&](const PatchPlace& at, std::size_t patch) {
        give_back(dpatches + i * size + patch, at, shape, line, dimages + i * shape.image_size());
      });
    }
  });
}

template void glimpse(const Scalar*, const Scalar*, const GlimpseShape&, Scalar*) noexcept;
template void glimpse_backward(const Scalar*, const Scalar*, const GlimpseShape&, Scalar*) noexcept;

}  // namespace heed::kernels
