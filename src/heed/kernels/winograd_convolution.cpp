// SPDX-License-Identifier: Apache-2.0
// Convolutions of 3 x 3 by transforms, with run-time dispatch.
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
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/winograd_convolution.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/in_register-inl.h"
#include "heed/kernels/lanes-inl.h"

#ifndef HEED_KERNELS_WINOGRAD_CONVOLUTION_CPP_
#define HEED_KERNELS_WINOGRAD_CONVOLUTION_CPP_
namespace heed::kernels {
namespace {

constexpr std::size_t kProducts = 16;  // numbers of a transformed tile
// On any target: rows of a product, vectors of positions and of outputs beside each other.
constexpr std::size_t kMostProductRows = 8;
constexpr std::size_t kMostBlockVectors = 3;
constexpr std::size_t kMostOutputVectors = 4;
constexpr std::size_t kSummedChannels = 4;  // of a product of gradients of weights

template <typename T>
constexpr std::size_t kLanesAtMost = 64 / sizeof(T);

constexpr std::size_t up_to(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

// What one thread works on: some images, through a window.
template <typename T>
struct WinogradTask {
  Window window{};
  std::size_t outputs = 1;
  const T* images = nullptr;
  const T* transformed = nullptr;  // forward: as packed_windows() makes them
  const T* bias = nullptr;
  T* y = nullptr;         // forward
  const T* dy = nullptr;  // weights
  T* sums = nullptr;      // weights: [16, summed_channels(), summed_outputs()], added to
  T* room = nullptr;      // room_size() numbers

  std::size_t tile_rows() const { return (window.out_height() + 1) / 2; }
  std::size_t tile_columns() const { return (window.out_width() + 1) / 2; }
  std::size_t area() const { return window.out_height() * window.out_width(); }
  // Of a plane: from one row of tiles to the next; all of it, with room to read whole vectors.
  std::size_t stride() const { return tile_columns() + 1; }
  std::size_t plane() const {
    return up_to((tile_rows() + 1) * stride(), kLanesAtMost<T>) +
           (kMostBlockVectors + 1) * kLanesAtMost<T>;
  }
  std::size_t positions() const { return (tile_rows() - 1) * stride() + tile_columns(); }
  std::size_t summed_channels() const { return up_to(window.channels, kSummedChannels); }
  std::size_t summed_outputs() const { return up_to(outputs, kLanesAtMost<T>); }
  std::size_t block() const { return kMostBlockVectors * kLanesAtMost<T>; }

  std::size_t planes_room() const { return window.channels * 4 * plane(); }
  std::size_t tiles_room() const { return kProducts * summed_channels() * block(); }
  std::size_t products_room() const { return kProducts * kMostProductRows * block(); }
  // dy by place, and of a block transformed.
  std::size_t by_place_room() const { return area() * summed_outputs(); }
  std::size_t block_room() const { return kProducts * block() * summed_outputs(); }
  std::size_t room_size() const {
    return planes_room() + tiles_room() + std::max(products_room(), by_place_room() + block_room());
  }
};

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// 8 rows by 3 vectors of sums fill the 32 registers of AVX-512, 6 by 2 the 16 of everything older;
// of gradients of weights, 4 channels by 4 vectors of outputs, and by 2.
constexpr std::size_t kProductRows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;
constexpr std::size_t kBlockVectors = HWY_TARGET <= HWY_AVX3 ? 3 : 2;
constexpr std::size_t kOutputVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

// Numbers 0, 2, 4, ... of a row to `even`, the others to `odd`, and zeros behind them up to a whole
// vector: rows are split in their order, so that those that follow come over these.
template <typename T>
HWY_INLINE void SplitRow(const T* HWY_RESTRICT row, std::size_t width, T* HWY_RESTRICT even,
                         T* HWY_RESTRICT odd) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < width; ++i) (i % 2 == 0 ? even : odd)[i / 2] = row[i];
#else
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto load = [&](std::size_t i) HWY_ATTR {
    return i + lanes <= width ? hn::LoadU(d, row + i)
           : i < width        ? Tail{width - i}.load(d, row + i)
                              : hn::Zero(d);
  };
  for (std::size_t i = 0; i < width; i += 2 * lanes) {
    const auto first = load(i), second = load(i + lanes);
    hn::StoreU(hn::ConcatEven(d, second, first), d, even + i / 2);
    hn::StoreU(hn::ConcatOdd(d, second, first), d, odd + i / 2);
  }
#endif
}

// The four planes of each channel of an image; what lies beside the image is 0 already.
template <typename T>
void SplitImage(const WinogradTask<T>& task, const T* image, T* planes) {
  const Window& w = task.window;
  const std::size_t plane = task.plane(), shift = w.padding_width % 2;
  for (std::size_t c = 0; c < w.channels; ++c, planes += 4 * plane) {
    for (std::size_t row = 0; row < w.height; ++row, image += w.width) {
      const std::size_t y = row + w.padding_height;
      T* const even =
          planes + y % 2 * 2 * plane + y / 2 * task.stride() + (w.padding_width + shift) / 2;
      T* const odd = even + plane;
      // After an odd padding the first number lies in an odd column, before all pairs.
      if (shift == 1) odd[-1] = image[0];
      SplitRow(image + shift, w.width - shift, even, odd);
    }
  }
}

// B^T of four numbers.
template <class V>
HWY_INLINE void TransformSeen(V& a, V& b, V& c, V& d) {
  const V sum = hn::Add(b, c), difference = hn::Sub(c, b);
  a = hn::Sub(a, c);
  d = hn::Sub(b, d);
  b = sum;
  c = difference;
}

// B^T d B of `vectors` vectors of tiles from position `first` on -> tiles [16, channels, block].
template <typename T>
HWY_NOINLINE void TransformTiles(const WinogradTask<T>& task, const T* HWY_RESTRICT planes,
                                 std::size_t first, std::size_t vectors, T* HWY_RESTRICT tiles) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d), plane = task.plane(), stride = task.stride();
  const std::size_t product = task.summed_channels() * task.block();
  for (std::size_t c = 0; c < task.window.channels; ++c) {
    for (std::size_t v = 0; v < vectors; ++v) {
      const T* HWY_RESTRICT from = planes + c * 4 * plane + first + v * lanes;
      V x[4][4];
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          x[i][j] = hn::LoadU(d, from + (i % 2 * 2 + j % 2) * plane + i / 2 * stride + j / 2);
        }
      }
      for (std::size_t j = 0; j < 4; ++j) TransformSeen(x[0][j], x[1][j], x[2][j], x[3][j]);
      for (std::size_t i = 0; i < 4; ++i) TransformSeen(x[i][0], x[i][1], x[i][2], x[i][3]);
      T* HWY_RESTRICT to = tiles + c * task.block() + v * lanes;
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) hn::StoreU(x[i][j], d, to + (i * 4 + j) * product);
      }
    }
  }
}

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

// Tiles of a block that follow each other in a row of tiles.
struct TileRun {
  std::size_t position;  // of the first, from the block's beginning
  std::size_t row;       // of tiles
  std::size_t column;
  std::size_t count;
};

template <typename T>
void FindRuns(const WinogradTask<T>& task, std::size_t first, std::size_t last,
              std::vector<TileRun>& runs) {
  runs.clear();
  for (std::size_t row = first / task.stride(); row < task.tile_rows(); ++row) {
    const std::size_t begin = std::max(first, row * task.stride());
    const std::size_t end = std::min(last, row * task.stride() + task.tile_columns());
    if (begin >= last) break;
    if (begin < end) {
      runs.push_back({begin - first, row, begin - row * task.stride(), end - begin});
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
  HWY_ALIGN T rows[2][kRow];
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
      FindRuns(task, first, last, runs);
      const T* windows = task.transformed;
      for (std::size_t o = 0; o < task.outputs; o += kProductRows) {
        AllProducts(task, windows, tiles, vectors, products);
        WriteOutputs(task, products, o, vectors, runs, y);
        windows += kProducts * w.channels * kProductRows;
      }
    }
  }
}

// dy [O, places] of an image -> [places, summed_outputs()]; zeros are where no output is already.
template <typename T>
void OutputsByPlace(const WinogradTask<T>& task, const T* dy, T* HWY_RESTRICT by_place) {
  const std::size_t area = task.area(), row = task.summed_outputs();
  std::size_t o = 0;
#if HWY_TARGET != HWY_SCALAR
  // Squares of 16 bytes a side.
  constexpr std::size_t kSide = 16 / sizeof(T);
  const hn::FixedTag<T, kSide> d;
  for (; o + kSide <= task.outputs; o += kSide) {
    std::size_t p = 0;
    for (; p + kSide <= area; p += kSide) {
      const T* HWY_RESTRICT from = dy + o * area + p;
      T* HWY_RESTRICT to = by_place + p * row + o;
      if constexpr (kSide == 4) {
        const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + area);
        const auto e = hn::LoadU(d, from + 2 * area), f = hn::LoadU(d, from + 3 * area);
        const auto ae = hn::InterleaveLower(d, a, e), bf = hn::InterleaveLower(d, b, f);
        const auto ae2 = hn::InterleaveUpper(d, a, e), bf2 = hn::InterleaveUpper(d, b, f);
        hn::StoreU(hn::InterleaveLower(d, ae, bf), d, to);
        hn::StoreU(hn::InterleaveUpper(d, ae, bf), d, to + row);
        hn::StoreU(hn::InterleaveLower(d, ae2, bf2), d, to + 2 * row);
        hn::StoreU(hn::InterleaveUpper(d, ae2, bf2), d, to + 3 * row);
      } else {
        const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + area);
        hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
        hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + row);
      }
    }
    for (; p < area; ++p) {
      for (std::size_t i = o; i < o + kSide; ++i) by_place[p * row + i] = dy[i * area + p];
    }
  }
#endif
  for (; o < task.outputs; ++o) {
    for (std::size_t p = 0; p < area; ++p) by_place[p * row + o] = dy[o * area + p];
  }
}

// A dY A^T of the tiles of a block, lanes being outputs -> [16, block, summed_outputs()]; 0 at
// positions that are no tiles.
template <typename T>
HWY_NOINLINE void TransformGradients(const WinogradTask<T>& task, const T* HWY_RESTRICT by_place,
                                     std::size_t positions, const std::vector<TileRun>& runs,
                                     T* HWY_RESTRICT transformed) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d), row = task.summed_outputs();
  const std::size_t product = task.block() * row;
  const std::size_t height = task.window.out_height(), width = task.window.out_width();
  std::size_t done = 0;
  const auto nothing_until = [&](std::size_t position) {
    for (std::size_t k = 0; k < kProducts && done < position; ++k) {
      std::fill_n(transformed + k * product + done * row, (position - done) * row, T{0});
    }
    done = position;
  };
  for (const TileRun& run : runs) {
    nothing_until(run.position);
    for (std::size_t t = 0; t < run.count; ++t, ++done) {
      const std::size_t y = 2 * run.row, x = 2 * (run.column + t);
      const T* HWY_RESTRICT from = by_place + (y * width + x) * row;
      const bool below = y + 1 < height, beside = x + 1 < width;
      T* HWY_RESTRICT to = transformed + done * row;
      for (std::size_t o = 0; o < row; o += lanes) {
        V m[4][2];
        m[0][0] = hn::LoadU(d, from + o);
        m[0][1] = beside ? hn::LoadU(d, from + row + o) : hn::Zero(d);
        m[3][0] = below ? hn::LoadU(d, from + width * row + o) : hn::Zero(d);
        m[3][1] = below && beside ? hn::LoadU(d, from + (width + 1) * row + o) : hn::Zero(d);
        for (std::size_t j = 0; j < 2; ++j) {
          m[1][j] = hn::Add(m[0][j], m[3][j]);
          m[2][j] = hn::Sub(m[0][j], m[3][j]);
          m[3][j] = hn::Neg(m[3][j]);
        }
        for (std::size_t i = 0; i < 4; ++i) {
          T* HWY_RESTRICT out = to + i * 4 * product + o;
          hn::StoreU(m[i][0], d, out);
          hn::StoreU(hn::Add(m[i][0], m[i][1]), d, out + product);
          hn::StoreU(hn::Sub(m[i][0], m[i][1]), d, out + 2 * product);
          hn::StoreU(hn::Neg(m[i][1]), d, out + 3 * product);
        }
      }
    }
  }
  nothing_until(positions);
}

// sums [kSummedChannels, outputs] += tiles [kSummedChannels, positions] times gradients
// [positions, outputs], kVectors vectors of outputs.
template <std::size_t kVectors, typename T>
HWY_NOINLINE void SumTile(const T* HWY_RESTRICT tiles, std::size_t block,
                          const T* HWY_RESTRICT gradients, std::size_t outputs,
                          std::size_t positions, T* HWY_RESTRICT sums_in_memory) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  V sums[kSummedChannels][kVectors];
  for (std::size_t r = 0; r < kSummedChannels; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[r][v] = hn::LoadU(d, sums_in_memory + r * outputs + v * lanes);
    }
  }
  for (std::size_t p = 0; p < positions; ++p) {
    V right[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      right[v] = hn::LoadU(d, gradients + p * outputs + v * lanes);
    }
    for (std::size_t r = 0; r < kSummedChannels; ++r) {
      const V left = InRegister(hn::Set(d, tiles[r * block + p]));
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
      }
    }
  }
  for (std::size_t r = 0; r < kSummedChannels; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[r][v], d, sums_in_memory + r * outputs + v * lanes);
    }
  }
}

template <typename T>
void AddSums(const WinogradTask<T>& task, const T* tiles, const T* gradients,
             std::size_t positions) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  const std::size_t block = task.block(), outputs = task.summed_outputs();
  for (std::size_t k = 0; k < kProducts; ++k) {
    for (std::size_t o = 0; o < outputs;) {
      const std::size_t vectors = std::min((outputs - o) / lanes, kOutputVectors);
      for (std::size_t c = 0; c < task.summed_channels(); c += kSummedChannels) {
        const T* const seen = tiles + (k * task.summed_channels() + c) * block;
        const T* const by = gradients + k * block * outputs + o;
        T* const to = task.sums + (k * task.summed_channels() + c) * outputs + o;
        if (vectors == kOutputVectors) {
          SumTile<kOutputVectors>(seen, block, by, outputs, positions, to);
        } else if (vectors == 3) {
          SumTile<3>(seen, block, by, outputs, positions, to);
        } else if (vectors == 2) {
          SumTile<2>(seen, block, by, outputs, positions, to);
        } else {
          SumTile<1>(seen, block, by, outputs, positions, to);
        }
      }
      o += vectors * lanes;
    }
  }
}

template <typename T>
void WinogradWeights(const WinogradTask<T>& task, std::size_t begin, std::size_t end) {
  const Window& w = task.window;
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), block = kBlockVectors * lanes;
  T* const planes = task.room;
  T* const tiles = planes + task.planes_room();
  T* const by_place = tiles + task.tiles_room();
  T* const gradients = by_place + task.by_place_room();
  std::fill_n(planes, task.planes_room(), T{0});
  std::fill_n(tiles, task.tiles_room(), T{0});
  std::fill_n(by_place, task.by_place_room(), T{0});
  std::vector<TileRun> runs;
  for (std::size_t n = begin; n < end; ++n) {
    SplitImage(task, task.images + n * w.channels * w.height * w.width, planes);
    OutputsByPlace(task, task.dy + n * task.outputs * task.area(), by_place);
    for (std::size_t first = 0; first < task.positions(); first += block) {
      const std::size_t last = std::min(first + block, task.positions());
      TransformTiles(task, planes, first, (last - first + lanes - 1) / lanes, tiles);
      FindRuns(task, first, last, runs);
      TransformGradients(task, by_place, last - first, runs, gradients);
      AddSums(task, tiles, gradients, last - first);
    }
  }
}

void WinogradForwardEntry(const WinogradTask<Scalar>& task, std::size_t begin, std::size_t end) {
  WinogradForward(task, begin, end);
}
void WinogradWeightsEntry(const WinogradTask<Scalar>& task, std::size_t begin, std::size_t end) {
  WinogradWeights(task, begin, end);
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
HWY_EXPORT(WinogradWeightsEntry);
HWY_EXPORT(ProductRowsEntry);

namespace {

constexpr std::size_t kWinogradGrain = 1 << 18;  // products below which a thread does not pay

template <typename T>
std::size_t grain_of(const WinogradTask<T>& task) {
  return kWinogradGrain / (task.outputs * task.window.channels * 4 * task.area() + 1) + 1;
}

Scratch& winograd_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

template <typename T>
T* winograd_room(const WinogradTask<T>& task) {
  return static_cast<T*>(winograd_scratch().reserve(task.room_size() * sizeof(T)));
}

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
    T half[4][3];
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
  parallel_for(task.window.images, grain_of(task), [&](std::size_t begin, std::size_t end) {
    WinogradTask<T> own = task;
    own.transformed = packed.data();
    own.room = winograd_room(own);
    run(own, begin, end);
  });
}

// G^T s G of all sums -> [O,C,3,3], added to.
template <typename T>
void add_windows(const WinogradTask<T>& task, const T* sums, T* dweights) {
  const std::size_t row = task.summed_outputs(), product = task.summed_channels() * row;
  for (std::size_t o = 0; o < task.outputs; ++o) {
    for (std::size_t c = 0; c < task.window.channels; ++c, dweights += 9) {
      const T* const s = sums + c * row + o;
      T half[3][4];
      for (std::size_t j = 0; j < 4; ++j) {
        const T b = s[(4 + j) * product], e = s[(8 + j) * product];
        half[0][j] = s[j * product] + (b + e) / 2;
        half[1][j] = (b - e) / 2;
        half[2][j] = (b + e) / 2 + s[(12 + j) * product];
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const T both = (half[i][1] + half[i][2]) / 2;
        dweights[i * 3] += half[i][0] + both;
        dweights[i * 3 + 1] += (half[i][1] - half[i][2]) / 2;
        dweights[i * 3 + 2] += both + half[i][3];
      }
    }
  }
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

template <typename T>
void winograd_convolution_weights(const DirectConvolution<T>& call, const T* dy,
                                  T* dweights) noexcept {
  const WinogradTask<T> task{
      .window = call.window, .outputs = call.outputs, .images = call.images, .dy = dy};
  const auto run = HWY_DYNAMIC_DISPATCH(WinogradWeightsEntry);
  const std::size_t size = kProducts * task.summed_channels() * task.summed_outputs();
  const std::size_t most = std::max<std::size_t>(1, task.window.images / grain_of(task));
  const std::size_t parts = std::min(most, static_cast<std::size_t>(threads()));
  // Each part sums its own images; parts are added in their order.
  std::vector<T> sums(parts * size);
  parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      WinogradTask<T> own = task;
      own.room = winograd_room(own);
      own.sums = sums.data() + part * size;
      run(own, task.window.images * part / parts, task.window.images * (part + 1) / parts);
    }
  });
  std::fill_n(dweights, task.outputs * task.window.channels * 9, T{0});
  for (std::size_t part = 0; part < parts; ++part) {
    add_windows(task, sums.data() + part * size, dweights);
  }
}

template void winograd_convolution(const DirectConvolution<Scalar>&, Scalar*) noexcept;
template void winograd_convolution_images(const DirectConvolution<Scalar>&, const Scalar*,
                                          Scalar*) noexcept;
template void winograd_convolution_weights(const DirectConvolution<Scalar>&, const Scalar*,
                                           Scalar*) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
