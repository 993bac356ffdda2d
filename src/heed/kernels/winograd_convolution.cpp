// SPDX-License-Identifier: Apache-2.0
// Convolutions of 3 x 3 by transforms, forward and gradients of images, with run-time dispatch.
//
// A tile is 2 x 2 places, which see 4 x 4 numbers d of a padded channel. With g the window,
//
//   forward:  Y  = A^T [sum over channels of (G g G^T) * (B^T d B)] A,  * by element
//   weights:  dg = G^T [sum over tiles of (A dY A^T) * (B^T d B)] G
//   images:   forward over dY, with the cells of the window in the opposite order
//
//         1  0 -1  0        1   0   0          1  0
//   B^T = 0  1  1  0    G = ½   ½   ½      A = 1  1
//         0 -1  1  0        ½  -½   ½          1 -1
//         0  1  0 -1        0   0   1          0 -1
//
// so that all work but the transforms is 16 products of matrices. A padded channel is kept as four
// planes, of its even and odd rows and columns: of each plane, what one of the 16 numbers is at all
// tiles is one stretch of memory, as in the direct convolution, and lanes are tiles. The positions
// of a row of tiles beyond its last are computed and left out, 1 of 16 for 30 columns.
//
// Measured on one thread of a machine with AVX-512, 3x3, 32 to 64 channels, 64 images of 30x30, as
// shares of the FMA loop, counting the operations of the definition: forward 1.23, gradients of
// images 1.19 and of weights 1.16, where the direct convolution has .80, .83 and .75. The products
// alone run at 97% of the loop; splitting and transforming take a fifth of the time.
#include "heed/kernels/winograd_convolution.h"

#include <algorithm>
#include <array>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/winograd_task.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/winograd_convolution.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/in_register-inl.h"
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// Rows of sums of a product.
constexpr std::size_t kProductRows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;

// windows [channels, kProductRows] times tiles [channels, block] -> products [kProductRows, block]
template <std::size_t kVectors, typename T>
HWY_NOINLINE void ProductTile(const T* HWY_RESTRICT windows, const T* HWY_RESTRICT tiles,
                              std::size_t block, std::size_t channels, T* HWY_RESTRICT products) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  V sums[kProductRows][kVectors];
  for (std::size_t r = 0; r < kProductRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  for (std::size_t c = 0; c < channels; ++c) {
    V right[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      right[v] = hn::LoadU(d, tiles + c * block + v * lanes);
    }
    for (std::size_t r = 0; r < kProductRows; ++r) {
      const V left = InRegister(hn::Set(d, windows[c * kProductRows + r]));
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
      }
    }
  }
  for (std::size_t r = 0; r < kProductRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[r][v], d, products + r * block + v * lanes);
    }
  }
}

template <typename T>
void AllProducts(const WinogradTask<T>& task, const T* windows, const T* tiles, std::size_t vectors,
                 T* products) {
  const std::size_t channels = task.window.channels, block = task.block();
  for (std::size_t k = 0; k < kProducts; ++k) {
    const T* const of_windows = windows + k * channels * kProductRows;
    const T* const of_tiles = tiles + k * task.summed_channels() * block;
    T* const to = products + k * kProductRows * block;
    if (vectors == 1) {
      ProductTile<1>(of_windows, of_tiles, block, channels, to);
    } else if (vectors == 2) {
      ProductTile<2>(of_windows, of_tiles, block, channels, to);
    } else {
      ProductTile<kBlockVectors>(of_windows, of_tiles, block, channels, to);
    }
  }
}

template <typename T>
HWY_INLINE void CopyNumbers(const T* HWY_RESTRICT from, std::size_t count, T* HWY_RESTRICT to) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  if (i < count) Tail{count - i}.store(hn::LoadU(d, from + i), d, to + i);
}

// A^T m A of kProductRows outputs from `first` on, and the bias.
template <typename T>
HWY_NOINLINE void WriteOutputs(const WinogradTask<T>& task, const T* HWY_RESTRICT products,
                               std::size_t first, std::size_t vectors,
                               const std::vector<TileRun>& runs, T* y) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d), block = task.block();
  const std::size_t product = kProductRows * block;
  const std::size_t height = task.window.out_height(), width = task.window.out_width();
  // The two rows of places of a block, and a vector that may be read behind them.
  constexpr std::size_t kRow = (2 * kMostBlockVectors + 1) * kLanesAtMost<T>;
  HWY_ALIGN WholeVectors<T, kRow> rows[2];
  for (std::size_t r = 0; r < kProductRows && first + r < task.outputs; ++r) {
    const V bias = hn::Set(d, task.bias != nullptr ? task.bias[first + r] : T{0});
    for (std::size_t v = 0; v < vectors; ++v) {
      const T* HWY_RESTRICT from = products + r * block + v * lanes;
      V upper[4], lower[4];
      for (std::size_t j = 0; j < 4; ++j) {
        const V m0 = hn::LoadU(d, from + j * product), m1 = hn::LoadU(d, from + (4 + j) * product);
        const V m2 = hn::LoadU(d, from + (8 + j) * product);
        const V m3 = hn::LoadU(d, from + (12 + j) * product);
        upper[j] = hn::Add(m0, hn::Add(m1, m2));
        lower[j] = hn::Sub(hn::Sub(m1, m2), m3);
      }
      const auto write = [&](const V* HWY_RESTRICT half, T* HWY_RESTRICT to) HWY_ATTR {
        const V even = hn::Add(hn::Add(half[0], bias), hn::Add(half[1], half[2]));
        const V odd = hn::Add(bias, hn::Sub(hn::Sub(half[1], half[2]), half[3]));
        hn::StoreInterleaved2(even, odd, d, to + 2 * v * lanes);
      };
      write(upper, rows[0]);
      write(lower, rows[1]);
    }
    T* const output = y + (first + r) * task.area();
    for (const TileRun& run : runs) {
      const std::size_t count = std::min(2 * run.count, width - 2 * run.column);
      for (std::size_t half = 0; half < 2 && 2 * run.row + half < height; ++half) {
        CopyNumbers(rows[half] + 2 * run.position, count,
                    output + (2 * run.row + half) * width + 2 * run.column);
      }
    }
  }
}

template <typename T>
void WinogradForward(const WinogradTask<T>& task, std::size_t begin, std::size_t end) {
  const Window& w = task.window;
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), block = kBlockVectors * lanes;
  T* const planes = task.room;
  T* const tiles = planes + task.planes_room();
  T* const products = tiles + task.tiles_room();
  std::fill_n(planes, task.planes_room(), T{0});
  std::vector<TileRun> runs;
  for (std::size_t n = begin; n < end; ++n) {
    SplitImage(task, task.images + n * w.channels * w.height * w.width, planes);
    T* const y = task.y + n * task.outputs * task.area();
    for (std::size_t first = 0; first < task.positions(); first += block) {
      const std::size_t last = std::min(first + block, task.positions());
      const std::size_t vectors = (last - first + lanes - 1) / lanes;
      TransformTiles(task, planes, first, vectors, tiles);
      find_runs(task, first, last, runs);
      const T* windows = task.transformed;
      for (std::size_t o = 0; o < task.outputs; o += kProductRows) {
        AllProducts(task, windows, tiles, vectors, products);
        WriteOutputs(task, products, o, vectors, runs, y);
        windows += kProducts * w.channels * kProductRows;
      }
    }
  }
}

void WinogradForwardEntry(const WinogradTask<Scalar>& task, std::size_t begin, std::size_t end) {
  WinogradForward(task, begin, end);
}
std::size_t ProductRowsEntry(const WinogradTask<Scalar>&) {
  return kProductRows;
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(WinogradForwardEntry);
HWY_EXPORT(ProductRowsEntry);

namespace {

// G g G^T of the window from input c to output o; `turned` windows are [C,O,3,3], their cells in
// the opposite order.
template <typename T>
struct Windows {
  const T* weights;
  std::size_t outputs;
  std::size_t channels;
  bool turned;

  void transform(std::size_t o, std::size_t c, T* to, std::size_t step) const {
    const T* const g = weights + (turned ? c * outputs + o : o * channels + c) * 9;
    std::array<std::array<T, 3>, 4> half;
    for (std::size_t j = 0; j < 3; ++j) {
      const T a = turned ? g[8 - j] : g[j], b = turned ? g[5 - j] : g[3 + j],
              e = turned ? g[2 - j] : g[6 + j];
      half[0][j] = a;
      half[1][j] = (a + e + b) / 2;
      half[2][j] = (a + e - b) / 2;
      half[3][j] = e;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const T ends = half[i][0] + half[i][2];
      to[(i * 4 + 0) * step] = half[i][0];
      to[(i * 4 + 1) * step] = (ends + half[i][1]) / 2;
      to[(i * 4 + 2) * step] = (ends - half[i][1]) / 2;
      to[(i * 4 + 3) * step] = half[i][2];
    }
  }
};

// [outputs by rows, 16, channels, rows], 0 for outputs that do not exist.
template <typename T>
std::vector<T> packed_windows(const Windows<T>& windows) {
  const std::size_t rows = HWY_DYNAMIC_DISPATCH(ProductRowsEntry)({});
  std::vector<T> packed(up_to(windows.outputs, rows) * kProducts * windows.channels);
  const std::size_t step = windows.channels * rows;
  for (std::size_t o = 0; o < windows.outputs; ++o) {
    T* const of_rows = packed.data() + o / rows * kProducts * step + o % rows;
    for (std::size_t c = 0; c < windows.channels; ++c) {
      windows.transform(o, c, of_rows + c * rows, step);
    }
  }
  return packed;
}

template <typename T>
void run_winograd(const WinogradTask<T>& task, const Windows<T>& windows) {
  const std::vector<T> packed = packed_windows(windows);
  const auto run = HWY_DYNAMIC_DISPATCH(WinogradForwardEntry);
  parallel_for(task.window.images, winograd_grain(task), [&](std::size_t begin, std::size_t end) {
    WinogradTask<T> own = task;
    own.transformed = packed.data();
    own.room = winograd_room(own);
    run(own, begin, end);
  });
}

}  // namespace

template <typename T>
void winograd_convolution(const DirectConvolution<T>& call, T* y) noexcept {
  run_winograd(WinogradTask<T>{.window = call.window,
                               .outputs = call.outputs,
                               .images = call.images,
                               .bias = call.bias,
                               .y = y},
               {call.weights, call.outputs, call.window.channels, false});
}

template <typename T>
void winograd_convolution_images(const DirectConvolution<T>& call, const T* dy,
                                 T* dimages) noexcept {
  run_winograd(WinogradTask<T>{.window = turned_window(call),
                               .outputs = call.window.channels,
                               .images = dy,
                               .y = dimages},
               {call.weights, call.window.channels, call.outputs, true});
}

template void winograd_convolution(const DirectConvolution<Scalar>&, Scalar*) noexcept;
template void winograd_convolution_images(const DirectConvolution<Scalar>&, const Scalar*,
                                          Scalar*) noexcept;
}  // namespace heed::kernels
#endif  // HWY_ONCE
