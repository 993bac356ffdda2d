// SPDX-License-Identifier: Apache-2.0
// Gradients of windows of 3 x 3 by transforms, with run-time dispatch: see
// winograd_convolution.cpp.
//
// For each of the 16 numbers of a tile, sums [C,O] of products over all tiles: lanes are outputs,
// so that the sums of a whole image stay in the second cache and nothing is added up across lanes.
#include <algorithm>
#include <array>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/winograd_convolution.h"
#include "heed/kernels/winograd_task.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/winograd_convolution_weights.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/in_register-inl.h"
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// Beside kSummedChannels rows, 4 vectors of sums with AVX-512 and 2 with what is older.
constexpr std::size_t kOutputVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

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
      find_runs(task, first, last, runs);
      TransformGradients(task, by_place, last - first, runs, gradients);
      AddSums(task, tiles, gradients, last - first);
    }
  }
}

void WinogradWeightsEntry(const WinogradTask<Scalar>& task, std::size_t begin, std::size_t end) {
  WinogradWeights(task, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(WinogradWeightsEntry);

namespace {

// G^T s G of all sums -> [O,C,3,3], added to.
template <typename T>
void add_windows(const WinogradTask<T>& task, const T* sums, T* dweights) {
  const std::size_t row = task.summed_outputs(), product = task.summed_channels() * row;
  for (std::size_t o = 0; o < task.outputs; ++o) {
    for (std::size_t c = 0; c < task.window.channels; ++c, dweights += 9) {
      const T* const s = sums + c * row + o;
      std::array<std::array<T, 4>, 3> half;
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
void winograd_convolution_weights(const DirectConvolution<T>& call, const T* dy,
                                  T* dweights) noexcept {
  const WinogradTask<T> task{
      .window = call.window, .outputs = call.outputs, .images = call.images, .dy = dy};
  const auto run = HWY_DYNAMIC_DISPATCH(WinogradWeightsEntry);
  const std::size_t size = kProducts * task.summed_channels() * task.summed_outputs();
  const std::size_t most = std::max<std::size_t>(1, task.window.images / winograd_grain(task));
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

template void winograd_convolution_weights(const DirectConvolution<Scalar>&, const Scalar*,
                                           Scalar*) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
