// SPDX-License-Identifier: Apache-2.0
// Images as planes of even and odd rows and columns, and the transforms of their tiles; included
// once per CPU target (see highway.h).
#if defined(HEED_KERNELS_WINOGRAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_WINOGRAD_INL_H_
#undef HEED_KERNELS_WINOGRAD_INL_H_
#else
#define HEED_KERNELS_WINOGRAD_INL_H_
#endif

#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/winograd_task.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// Vectors of positions that are worked on together: with 8 rows of sums 3 fill the 32 registers of
// AVX-512, with 6 rows 2 the 16 of everything older.
constexpr std::size_t kBlockVectors = HWY_TARGET <= HWY_AVX3 ? 3 : 2;

// Numbers 0, 2, 4, ... of a row to `even`, the others to `odd`, and zeros behind them up to a whole
// vector: rows are split in their order, so that those that follow come over these.
template <typename T>
HWY_INLINE void SplitRow(const T* HWY_RESTRICT row, std::size_t width, T* HWY_RESTRICT even,
                         T* HWY_RESTRICT odd) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < width / 2; ++i) {
    even[i] = row[2 * i];
    odd[i] = row[2 * i + 1];
  }
  if (width % 2 == 1) even[width / 2] = row[width - 1];
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

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_WINOGRAD_INL_H_
