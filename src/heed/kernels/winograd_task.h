// SPDX-License-Identifier: Apache-2.0
// What one thread works on in a convolution by transforms, and how its tiles lie in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "heed/kernels/convolution.h"
#include "heed/kernels/scratch.h"

namespace heed::kernels {

inline constexpr std::size_t kProducts = 16;  // numbers of a transformed tile
// On any target: rows of a product, vectors of positions beside each other.
inline constexpr std::size_t kMostProductRows = 8;
inline constexpr std::size_t kMostBlockVectors = 3;
inline constexpr std::size_t kSummedChannels = 4;  // of a product of gradients of weights

template <typename T>
inline constexpr std::size_t kLanesAtMost = 64 / sizeof(T);

constexpr std::size_t up_to(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

// Some images, through a window.
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

// Tiles of a block that follow each other in a row of tiles.
struct TileRun {
  std::size_t position;  // of the first, from the block's beginning
  std::size_t row;       // of tiles
  std::size_t column;
  std::size_t count;
};

// Those of positions first to before last.
template <typename T>
void find_runs(const WinogradTask<T>& task, std::size_t first, std::size_t last,
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

// Products below which a second thread does not pay.
inline constexpr std::size_t kWinogradGrain = 1 << 18;

template <typename T>
std::size_t winograd_grain(const WinogradTask<T>& task) {
  return kWinogradGrain / (task.outputs * task.window.channels * 4 * task.area() + 1) + 1;
}

inline Scratch& winograd_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

template <typename T>
T* winograd_room(const WinogradTask<T>& task) {
  return static_cast<T*>(winograd_scratch().reserve(task.room_size() * sizeof(T)));
}

}  // namespace heed::kernels
