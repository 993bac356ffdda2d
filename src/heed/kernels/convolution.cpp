// SPDX-License-Identifier: Apache-2.0
// Windows over images, one cell of the window at a time: the places of the window along a row of
// the output are then one plain loop that the compiler turns into vectors.
#include "heed/kernels/convolution.h"

#include <algorithm>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

namespace heed::kernels {
namespace {

// A window along one dimension.
struct Side {
  std::size_t length;
  std::size_t kernel;
  std::size_t stride;
  std::size_t padding;
  std::size_t dilation;
  std::size_t places;
};

// The places [begin, end) that have one cell of the window inside the image; at `begin` the cell
// lies on image element `first`, and every place further it lies `stride` further.
struct Places {
  std::size_t begin;
  std::size_t end;
  std::size_t first;
};

Places places_of(const Side& side, std::size_t cell) {
  const std::size_t ahead = cell * side.dilation;
  // The first place whose cell reaches `position`, counted from the start of the padding.
  const auto reaching = [&](std::size_t position) {
    const std::size_t place =
        position <= ahead ? 0 : (position - ahead + side.stride - 1) / side.stride;
    return std::min(side.places, place);
  };
  const std::size_t begin = reaching(side.padding);
  const std::size_t end = reaching(side.padding + side.length);
  return {begin, end, begin < end ? begin * side.stride + ahead - side.padding : 0};
}

struct Sides {
  explicit Sides(const Window& w)
      : rows{w.height,         w.kernel_height,   w.stride_height,
             w.padding_height, w.dilation_height, w.out_height()},
        columns{w.width,         w.kernel_width,   w.stride_width,
                w.padding_width, w.dilation_width, w.out_width()} {}

  std::size_t area() const { return rows.length * columns.length; }
  std::size_t out_area() const { return rows.places * columns.places; }
  std::size_t cells() const { return rows.kernel * columns.kernel; }

  Side rows;
  Side columns;
};

// Calls body(image, out, count) for each row of places that have this cell of the window inside the
// image: place out + i of the output sees image element image + i * stride, for i < count.
template <typename Body>
void for_each_run(const Sides& sides, std::size_t cell, const Body& body) {
  const Places down = places_of(sides.rows, cell / sides.columns.kernel);
  const Places across = places_of(sides.columns, cell % sides.columns.kernel);
  if (across.begin >= across.end) return;
  for (std::size_t place = down.begin; place < down.end; ++place) {
    const std::size_t row = down.first + (place - down.begin) * sides.rows.stride;
    body(row * sides.columns.length + across.first, place * sides.columns.places + across.begin,
         across.end - across.begin);
  }
}

// Calls body(plane) for every image and channel, spread over threads; `work` elements each.
template <typename Body>
void for_each_plane(const Window& window, std::size_t work, const Body& body) {
  const std::size_t grain = kElementwiseGrain / std::max<std::size_t>(1, work) + 1;
  parallel_for(window.images * window.channels, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t plane = begin; plane < end; ++plane) body(plane);
  });
}

// 1 / (number of window cells inside the image) for every place along one side, 0 where none is.
template <typename T>
void inverse_counts(const Side& side, std::vector<T>& inverse) {
  inverse.assign(side.places, T{0});
  for (std::size_t cell = 0; cell < side.kernel; ++cell) {
    const Places places = places_of(side, cell);
    for (std::size_t place = places.begin; place < places.end; ++place) inverse[place] += 1;
  }
  for (T& value : inverse) value = value == 0 ? T{0} : 1 / value;
}

// What average pooling divides by, kept between calls so that a steady step does not allocate.
template <typename T>
struct InverseCounts {
  explicit InverseCounts(const Sides& sides) {
    thread_local std::vector<T> down_buffer;
    thread_local std::vector<T> across_buffer;
    inverse_counts(sides.rows, down_buffer);
    inverse_counts(sides.columns, across_buffer);
    down = down_buffer.data();
    across = across_buffer.data();
  }
  const T* down;
  const T* across;
};

}  // namespace

template <typename T>
void im2col(const T* images, const Window& window, T* columns) noexcept {
  const Sides sides(window);
  const std::size_t stride = window.stride_width;
  const bool padded = window.padding_height + window.padding_width > 0;
  for_each_plane(window, sides.cells() * sides.out_area(), [&](std::size_t plane) {
    const T* const image = images + plane * sides.area();
    for (std::size_t cell = 0; cell < sides.cells(); ++cell) {
      T* const column = columns + (plane * sides.cells() + cell) * sides.out_area();
      if (padded) std::fill_n(column, sides.out_area(), T{0});
      for_each_run(sides, cell, [&](std::size_t from, std::size_t to, std::size_t count) {
        if (stride == 1) {
          std::copy_n(image + from, count, column + to);
        } else {
          for (std::size_t i = 0; i < count; ++i) column[to + i] = image[from + i * stride];
        }
      });
    }
  });
}

template <typename T>
void col2im(const T* columns, const Window& window, T* images) noexcept {
  const Sides sides(window);
  const std::size_t stride = window.stride_width;
  for_each_plane(window, sides.cells() * sides.out_area(), [&](std::size_t plane) {
    T* const image = images + plane * sides.area();
    for (std::size_t cell = 0; cell < sides.cells(); ++cell) {
      const T* const column = columns + (plane * sides.cells() + cell) * sides.out_area();
      for_each_run(sides, cell, [&](std::size_t to, std::size_t from, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) image[to + i * stride] += column[from + i];
      });
    }
  });
}

template <typename T>
void max_pool(const T* images, const Window& window, T* y, std::int32_t* argmax) noexcept {
  const Sides sides(window);
  const std::size_t stride = window.stride_width;
  for_each_plane(window, sides.cells() * sides.out_area(), [&](std::size_t plane) {
    const T* const image = images + plane * sides.area();
    T* const best = y + plane * sides.out_area();
    std::int32_t* const where = argmax + plane * sides.out_area();
    std::fill_n(best, sides.out_area(), T{0});
    std::fill_n(where, sides.out_area(), -1);
    for (std::size_t cell = 0; cell < sides.cells(); ++cell) {
      for_each_run(sides, cell, [&](std::size_t from, std::size_t to, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
          const T value = image[from + i * stride];
          // Bitwise or: a loop without branches becomes vectors. A NaN differs from itself.
          const bool wins = (where[to + i] < 0) | (value > best[to + i]) | (value != value);
          best[to + i] = wins ? value : best[to + i];
          where[to + i] = wins ? static_cast<std::int32_t>(from + i * stride) : where[to + i];
        }
      });
    }
  });
}

template <typename T>
void max_pool_backward(const T* dy, const std::int32_t* argmax, const Window& window,
                       T* dimages) noexcept {
  const Sides sides(window);
  for_each_plane(window, sides.out_area(), [&](std::size_t plane) {
    T* const dimage = dimages + plane * sides.area();
    const std::size_t begin = plane * sides.out_area();
    for (std::size_t i = begin; i < begin + sides.out_area(); ++i) {
      if (argmax[i] >= 0) dimage[argmax[i]] += dy[i];
    }
  });
}

template <typename T>
void average_pool(const T* images, const Window& window, T* y) noexcept {
  const Sides sides(window);
  const std::size_t stride = window.stride_width;
  const InverseCounts<T> inverse(sides);
  for_each_plane(window, sides.cells() * sides.out_area(), [&](std::size_t plane) {
    const T* const image = images + plane * sides.area();
    T* const mean = y + plane * sides.out_area();
    std::fill_n(mean, sides.out_area(), T{0});
    for (std::size_t cell = 0; cell < sides.cells(); ++cell) {
      for_each_run(sides, cell, [&](std::size_t from, std::size_t to, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) mean[to + i] += image[from + i * stride];
      });
    }
    for (std::size_t row = 0; row < sides.rows.places; ++row) {
      T* const out = mean + row * sides.columns.places;
      for (std::size_t i = 0; i < sides.columns.places; ++i) {
        out[i] *= inverse.down[row] * inverse.across[i];
      }
    }
  });
}

template <typename T>
void average_pool_backward(const T* dy, const Window& window, T* dimages) noexcept {
  const Sides sides(window);
  const std::size_t stride = window.stride_width;
  const std::size_t width = sides.columns.places;
  const InverseCounts<T> inverse(sides);
  for_each_plane(window, sides.cells() * sides.out_area(), [&](std::size_t plane) {
    T* const dimage = dimages + plane * sides.area();
    const T* const dmean = dy + plane * sides.out_area();
    for (std::size_t cell = 0; cell < sides.cells(); ++cell) {
      for_each_run(sides, cell, [&](std::size_t to, std::size_t from, std::size_t count) {
        const T down = inverse.down[from / width];
        const T* const across = inverse.across + from % width;
        for (std::size_t i = 0; i < count; ++i) {
          dimage[to + i * stride] += dmean[from + i] * (down * across[i]);
        }
      });
    }
  });
}

template void im2col(const Scalar*, const Window&, Scalar*) noexcept;
template void col2im(const Scalar*, const Window&, Scalar*) noexcept;
template void max_pool(const Scalar*, const Window&, Scalar*, std::int32_t*) noexcept;
template void max_pool_backward(const Scalar*, const std::int32_t*, const Window&,
                                Scalar*) noexcept;
template void average_pool(const Scalar*, const Window&, Scalar*) noexcept;
template void average_pool_backward(const Scalar*, const Window&, Scalar*) noexcept;

}  // namespace heed::kernels
