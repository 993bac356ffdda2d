// SPDX-License-Identifier: Apache-2.0
// Sliding windows over images: columns for convolution by GEMM, and pooling. One dimension is the
// case height = kernel_height = 1.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::kernels {

// images [N, C, H, W] under a window of KH x KW cells, `dilation` apart, moved by `stride`; padding
// cells surround each image on both sides and hold 0.
struct Window {
  std::size_t images = 1;
  std::size_t channels = 1;
  std::size_t height = 1;
  std::size_t width = 1;
  std::size_t kernel_height = 1;
  std::size_t kernel_width = 1;
  std::size_t stride_height = 1;
  std::size_t stride_width = 1;
  std::size_t padding_height = 0;
  std::size_t padding_width = 0;
  std::size_t dilation_height = 1;
  std::size_t dilation_width = 1;

  // OH and OW: how many places the window has; 0 when it does not fit once.
  std::size_t out_height() const noexcept {
    return places(height + 2 * padding_height, (kernel_height - 1) * dilation_height,
                  stride_height);
  }
  std::size_t out_width() const noexcept {
    return places(width + 2 * padding_width, (kernel_width - 1) * dilation_width, stride_width);
  }

 private:
  static std::size_t places(std::size_t length, std::size_t reach, std::size_t stride) noexcept {
    return length > reach ? (length - reach - 1) / stride + 1 : 0;
  }
};

// images [N, C, H, W] -> columns [N, C * KH * KW, OH * OW], so that weights [O, C * KH * KW] times
// the columns of an image are its [O, OH, OW].
template <typename T>
void im2col(const T* images, const Window& window, T* columns) noexcept;

// The transpose of im2col: every cell of columns is added to the image cell it was read from.
// Images are added to, not cleared.
template <typename T>
void col2im(const T* columns, const Window& window, T* images) noexcept;

// images [N, C, H, W] -> y [N, C, OH, OW], the largest cell of each window; padding never wins, NaN
// always does. argmax [N, C, OH, OW] is that cell's index in its H x W plane; a window of nothing
// but padding gives 0 and argmax -1.
template <typename T>
void max_pool(const T* images, const Window& window, T* y, std::int32_t* argmax) noexcept;

// dimages[argmax] += dy. dimages [N, C, H, W] is added to, not cleared.
template <typename T>
void max_pool_backward(const T* dy, const std::int32_t* argmax, const Window& window,
                       T* dimages) noexcept;

// The mean over the cells of each window that are not padding; 0 where there is none.
template <typename T>
void average_pool(const T* images, const Window& window, T* y) noexcept;

// dimages [N, C, H, W] is added to, not cleared.
template <typename T>
void average_pool_backward(const T* dy, const Window& window, T* dimages) noexcept;

}  // namespace heed::kernels
