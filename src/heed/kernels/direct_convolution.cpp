// SPDX-License-Identifier: Apache-2.0
// The direct convolution with run-time dispatch.
//
// An image is copied once between zeros, row after row. With S numbers from one row to the next,
// place (y, x) of the window is position p = y S + x, and its cell (c, i, j) sees the number at
// offset(c, i, j) + p. The positions of a row beyond its last place see the end of a row and the
// beginning of the next: they are computed and left out, 2 of 32 for a window of 3 over 30 columns.
//
//   forward:  y[o, p] = sum over cells k of w[o, k] x[offset(k) + p]
//   weights:  dw[o, k] = sum over p of dy[o, p] x[offset(k) + p], dy being 0 where p is no place
//   images:   forward over dy, with the cells of the window in the opposite order
//
// Measured on one thread of a machine with AVX-512, 3x3, 32 to 64 channels, 64 images of 30x30:
// forward and backward take a third of what columns and products did. Windows of 3 x 3 over many
// channels take less by transforms (winograd_convolution.h).
#include "heed/kernels/direct_convolution.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/direct_convolution.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/in_register-inl.h"
#include "heed/kernels/lanes-inl.h"

#ifndef HEED_KERNELS_DIRECT_CONVOLUTION_CPP_
#define HEED_KERNELS_DIRECT_CONVOLUTION_CPP_
namespace heed::kernels {
namespace {

// Lanes of the longest vectors: memory is laid out for these whatever the target.
template <typename T>
constexpr std::size_t kMostLanes = 64 / sizeof(T);
constexpr std::size_t kMostRows = 8;     // of a tile, on any target
constexpr std::size_t kMostVectors = 3;  // beside each other
constexpr std::size_t kCells = 3;        // of the window that a tile of dw takes

constexpr std::size_t rounded_up(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

// What one thread works on: some images, through a window.
template <typename T>
struct DirectTask {
  Window window{};
  std::size_t outputs = 1;
  const T* images = nullptr;
  const T* weights = nullptr;
  bool turned = false;  // weights are [C,O,KH,KW], their cells in the opposite order
  const T* bias = nullptr;
  T* y = nullptr;         // forward
  const T* dy = nullptr;  // weights
  T* dweights = nullptr;  // weights: [O, cells()]
  T* room = nullptr;      // room_size() numbers

  std::size_t stride() const { return window.width + 2 * window.padding_width; }
  // Behind a channel lie zeros, so that a whole vector may be read at its last position.
  std::size_t channel_stride() const {
    return rounded_up((window.height + 2 * window.padding_height) * stride(), kMostLanes<T>) +
           (kMostVectors + 1) * kMostLanes<T>;
  }
  std::size_t cells() const { return window.channels * window.kernel_height * window.kernel_width; }
  std::size_t positions() const {
    return (window.out_height() - 1) * stride() + window.out_width();
  }
  std::size_t position_room() const {
    return rounded_up(positions(), kMostVectors * kMostLanes<T>) + kMostVectors * kMostLanes<T>;
  }
  std::size_t offset(std::size_t cell) const {
    const std::size_t j = cell % window.kernel_width, rest = cell / window.kernel_width;
    const std::size_t i = rest % window.kernel_height, c = rest / window.kernel_height;
    return c * channel_stride() + i * window.dilation_height * stride() + j * window.dilation_width;
  }
  std::size_t padded_outputs() const { return rounded_up(outputs, kMostRows * 3); }
  std::size_t padded_cells() const { return rounded_up(cells(), kCells); }
  // The padded image; packed weights and which positions are places, or dy by position and the sums
  // of dw in lanes; offsets.
  std::size_t image_room() const { return window.channels * channel_stride(); }
  std::size_t forward_room() const { return padded_outputs() * cells() + position_room(); }
  std::size_t weights_room() const {
    return padded_outputs() * position_room() + padded_outputs() * padded_cells() * kMostLanes<T>;
  }
  std::size_t room_size() const { return image_room() + std::max(forward_room(), weights_room()); }
};

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// Rows of a tile times vectors beside each other: 8 by 3 sums fill the 32 registers of AVX-512, 6
// by 2 the 16 of everything older. Of dw, 8 by 3 cells and 3 by 3.
constexpr std::size_t kTileRows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;
constexpr std::size_t kTileVectors = HWY_TARGET <= HWY_AVX3 ? 3 : 2;
constexpr std::size_t kSumRows = HWY_TARGET <= HWY_AVX3 ? 8 : 3;

template <typename T>
void PadImage(const DirectTask<T>& task, const T* image, T* padded) {
  const Window& w = task.window;
  for (std::size_t c = 0; c < w.channels; ++c) {
    T* to = padded + c * task.channel_stride() + w.padding_height * task.stride() + w.padding_width;
    for (std::size_t row = 0; row < w.height; ++row) {
      std::memcpy(to, image, w.width * sizeof(T));
      image += w.width;
      to += task.stride();
    }
  }
}

// [tiles, cells, kTileRows], zeros for rows that do not exist.
template <typename T>
void PackTiles(const DirectTask<T>& task, T* packed) {
  const std::size_t cells = task.cells();
  const std::size_t window = task.window.kernel_height * task.window.kernel_width;
  for (std::size_t first = 0; first < task.outputs; first += kTileRows) {
    for (std::size_t k = 0; k < cells; ++k) {
      for (std::size_t r = 0; r < kTileRows; ++r, ++packed) {
        const std::size_t o = first + r;
        const std::size_t c = k / window, cell = k % window;
        *packed = o >= task.outputs ? T{0}
                  : task.turned ? task.weights[(c * task.outputs + o) * window + window - 1 - cell]
                                : task.weights[o * cells + k];
      }
    }
  }
}

// The products of one tile at positions from `position` on; places alone are stored, to where
// `before` places came before them.
template <typename T>
HWY_NOINLINE void ForwardTile(const DirectTask<T>& task, const T* HWY_RESTRICT image,
                              const T* HWY_RESTRICT weights, const std::size_t* offsets,
                              std::size_t first, const T* HWY_RESTRICT places,
                              const std::size_t* before, T* y) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  using V = hn::Vec<decltype(d)>;
  V sums[kTileRows][kTileVectors];
  for (std::size_t r = 0; r < kTileRows; ++r) {
    const V bias =
        hn::Set(d, task.bias != nullptr && first + r < task.outputs ? task.bias[first + r] : T{0});
    for (std::size_t v = 0; v < kTileVectors; ++v) sums[r][v] = bias;
  }
  const std::size_t cells = task.cells();
  for (std::size_t k = 0; k < cells; ++k) {
    const T* HWY_RESTRICT seen = image + offsets[k];
    V right[kTileVectors];
    for (std::size_t v = 0; v < kTileVectors; ++v) right[v] = hn::LoadU(d, seen + v * lanes);
    for (std::size_t r = 0; r < kTileRows; ++r) {
      const V left = hn::Set(d, weights[k * kTileRows + r]);
      for (std::size_t v = 0; v < kTileVectors; ++v) {
        sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
      }
    }
  }
  const std::size_t area = task.window.out_height() * task.window.out_width();
  for (std::size_t v = 0; v < kTileVectors; ++v) {
    const std::size_t count = before[v + 1] - before[v];
    if (count == 0) continue;
    const auto is_place = hn::Ne(hn::LoadU(d, places + v * lanes), hn::Zero(d));
    for (std::size_t r = 0; r < kTileRows && first + r < task.outputs; ++r) {
      T* const to = y + (first + r) * area + before[v];
      if (count == lanes) {
        hn::StoreU(sums[r][v], d, to);
      } else {
        // Compressing to memory, which is microcode on Zen 4, cost 11% of a forward pass.
        hn::BlendedStore(hn::Compress(sums[r][v], is_place), hn::FirstN(d, count), d, to);
      }
    }
  }
}

template <typename T>
void ForwardImages(const DirectTask<T>& task, std::size_t begin, std::size_t end) {
  const Window& w = task.window;
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  T* const padded = task.room;
  T* const packed = padded + task.image_room();
  T* const places = packed + task.padded_outputs() * task.cells();
  std::fill_n(padded, task.image_room(), T{0});
  std::fill_n(places, task.position_room(), T{0});
  for (std::size_t row = 0; row < w.out_height(); ++row) {
    std::fill_n(places + row * task.stride(), w.out_width(), T{1});
  }
  PackTiles(task, packed);
  std::vector<std::size_t> offsets(task.cells());
  for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] = task.offset(k);
  std::vector<std::size_t> before(1, 0);  // places before each vector of positions
  for (std::size_t p = 0; p < task.position_room(); p += lanes) {
    std::size_t count = 0;
    for (std::size_t i = p; i < std::min(p + lanes, task.position_room()); ++i) {
      count += places[i] != 0 ? 1 : 0;
    }
    before.push_back(before.back() + count);
  }
  const std::size_t area = w.out_height() * w.out_width();
  for (std::size_t n = begin; n < end; ++n) {
    PadImage(task, task.images + n * w.channels * w.height * w.width, padded);
    T* const y = task.y + n * task.outputs * area;
    for (std::size_t p = 0; p < task.positions(); p += kTileVectors * lanes) {
      for (std::size_t first = 0; first < task.outputs; first += kTileRows) {
        ForwardTile(task, padded + p, packed + first * task.cells(), offsets.data(), first,
                    places + p, before.data() + p / lanes, y);
      }
    }
  }
}

// Adds what kSumRows rows of dy and kCells cells of the window have in common, lane by lane.
template <typename T>
HWY_NOINLINE void WeightTile(const T* HWY_RESTRICT dy, std::size_t dy_stride,
                             const T* HWY_RESTRICT image, const std::size_t* offsets,
                             std::size_t positions, T* HWY_RESTRICT sums_in_lanes) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  using V = hn::Vec<decltype(d)>;
  V sums[kSumRows][kCells];
  for (std::size_t r = 0; r < kSumRows; ++r) {
    for (std::size_t j = 0; j < kCells; ++j) {
      sums[r][j] = hn::LoadU(d, sums_in_lanes + (r * kCells + j) * lanes);
    }
  }
  const T* HWY_RESTRICT seen[kCells];
  for (std::size_t j = 0; j < kCells; ++j) seen[j] = image + offsets[j];
  for (std::size_t p = 0; p < positions; p += lanes) {
    V right[kCells];
    for (std::size_t j = 0; j < kCells; ++j) right[j] = hn::LoadU(d, seen[j] + p);
    for (std::size_t r = 0; r < kSumRows; ++r) {
      const V left = InRegister(hn::LoadU(d, dy + r * dy_stride + p));
      for (std::size_t j = 0; j < kCells; ++j) {
        sums[r][j] = hn::MulAdd(left, right[j], sums[r][j]);
      }
    }
  }
  for (std::size_t r = 0; r < kSumRows; ++r) {
    for (std::size_t j = 0; j < kCells; ++j) {
      hn::StoreU(sums[r][j], d, sums_in_lanes + (r * kCells + j) * lanes);
    }
  }
}

template <typename T>
void WeightImages(const DirectTask<T>& task, std::size_t begin, std::size_t end) {
  const Window& w = task.window;
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  T* const padded = task.room;
  T* const by_position = padded + task.image_room();  // dy [O, position_room()]
  T* const in_lanes = by_position + task.padded_outputs() * task.position_room();
  std::fill_n(padded, task.image_room(), T{0});
  std::fill_n(by_position, task.padded_outputs() * task.position_room(), T{0});
  std::fill_n(in_lanes, task.padded_outputs() * task.padded_cells() * lanes, T{0});
  std::vector<std::size_t> offsets(task.padded_cells(), 0);
  for (std::size_t k = 0; k < task.cells(); ++k) offsets[k] = task.offset(k);
  const std::size_t area = w.out_height() * w.out_width();
  const std::size_t tile = kSumRows * kCells * lanes;
  for (std::size_t n = begin; n < end; ++n) {
    PadImage(task, task.images + n * w.channels * w.height * w.width, padded);
    for (std::size_t o = 0; o < task.outputs; ++o) {
      const T* from = task.dy + (n * task.outputs + o) * area;
      for (std::size_t row = 0; row < w.out_height(); ++row) {
        std::memcpy(by_position + o * task.position_room() + row * task.stride(),
                    from + row * w.out_width(), w.out_width() * sizeof(T));
      }
    }
    T* sums = in_lanes;
    for (std::size_t first = 0; first < task.outputs; first += kSumRows) {
      for (std::size_t k = 0; k < task.padded_cells(); k += kCells, sums += tile) {
        WeightTile(by_position + first * task.position_room(), task.position_room(), padded,
                   offsets.data() + k, task.positions(), sums);
      }
    }
  }
  const T* sums = in_lanes;
  for (std::size_t first = 0; first < task.outputs; first += kSumRows) {
    for (std::size_t k = 0; k < task.padded_cells(); k += kCells) {
      for (std::size_t r = 0; r < kSumRows; ++r) {
        for (std::size_t j = 0; j < kCells; ++j, sums += lanes) {
          if (first + r >= task.outputs || k + j >= task.cells()) continue;
          task.dweights[(first + r) * task.cells() + k + j] =
              hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, sums)));
        }
      }
    }
  }
}

void ForwardImagesEntry(const DirectTask<Scalar>& task, std::size_t begin, std::size_t end) {
  ForwardImages(task, begin, end);
}
void WeightImagesEntry(const DirectTask<Scalar>& task, std::size_t begin, std::size_t end) {
  WeightImages(task, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(ForwardImagesEntry);
HWY_EXPORT(WeightImagesEntry);

namespace {

constexpr std::size_t kDirectGrain = 1 << 18;  // products below which a second thread does not pay

template <typename T>
std::size_t grain_of(const DirectTask<T>& task) {
  const std::size_t work = task.outputs * task.cells() * task.positions() + 1;
  return kDirectGrain / work + 1;
}

Scratch& direct_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

template <typename T>
T* direct_room(const DirectTask<T>& task) {
  return static_cast<T*>(direct_scratch().reserve(task.room_size() * sizeof(T)));
}

template <typename T>
void run_forward(const DirectTask<T>& task) {
  const auto run = HWY_DYNAMIC_DISPATCH(ForwardImagesEntry);
  parallel_for(task.window.images, grain_of(task), [&](std::size_t begin, std::size_t end) {
    DirectTask<T> own = task;
    own.room = direct_room(own);
    run(own, begin, end);
  });
}

}  // namespace

template <typename T>
void direct_convolution(const DirectConvolution<T>& call, T* y) noexcept {
  run_forward(DirectTask<T>{.window = call.window,
                            .outputs = call.outputs,
                            .images = call.images,
                            .weights = call.weights,
                            .bias = call.bias,
                            .y = y});
}

template <typename T>
void direct_convolution_images(const DirectConvolution<T>& call, const T* dy, T* dimages) noexcept {
  run_forward(DirectTask<T>{.window = turned_window(call),
                            .outputs = call.window.channels,
                            .images = dy,
                            .weights = call.weights,
                            .turned = true,
                            .y = dimages});
}

template <typename T>
void direct_convolution_weights(const DirectConvolution<T>& call, const T* dy,
                                T* dweights) noexcept {
  const DirectTask<T> task{
      .window = call.window, .outputs = call.outputs, .images = call.images, .dy = dy};
  const auto run = HWY_DYNAMIC_DISPATCH(WeightImagesEntry);
  const std::size_t size = task.outputs * task.cells();
  const std::size_t most =
      std::max<std::size_t>(1, task.window.images / std::max<std::size_t>(1, grain_of(task)));
  const std::size_t parts = std::min(most, static_cast<std::size_t>(threads()));
  // Each part sums its own images; parts are added in their order.
  std::vector<T> partial(parts * size);
  parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      DirectTask<T> own = task;
      own.room = direct_room(own);
      own.dweights = partial.data() + part * size;
      run(own, task.window.images * part / parts, task.window.images * (part + 1) / parts);
    }
  });
  std::copy_n(partial.data(), size, dweights);
  for (std::size_t part = 1; part < parts; ++part) {
    for (std::size_t i = 0; i < size; ++i) dweights[i] += partial[part * size + i];
  }
}

template void direct_convolution(const DirectConvolution<Scalar>&, Scalar*) noexcept;
template void direct_convolution_images(const DirectConvolution<Scalar>&, const Scalar*,
                                        Scalar*) noexcept;
template void direct_convolution_weights(const DirectConvolution<Scalar>&, const Scalar*,
                                         Scalar*) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
