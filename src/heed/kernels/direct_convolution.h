// SPDX-License-Identifier: Apache-2.0
// Convolution without columns: of a padded image, what a cell of the window sees at all places is
// one stretch of memory, the same for every cell but for where it begins. So the image itself is
// the right side of a product, and nothing is copied for each cell.
//
// For windows that move by one; others go by im2col (convolution.h).
#pragma once

#include "heed/kernels/convolution.h"

namespace heed::kernels {

// Whether the window moves by 1 and its padding stays below its reach, as gradients need it.
inline bool is_direct(const Window& window) noexcept {
  return window.stride_height == 1 && window.stride_width == 1 &&
         window.padding_height <= (window.kernel_height - 1) * window.dilation_height &&
         window.padding_width <= (window.kernel_width - 1) * window.dilation_width;
}

// images [N,C,H,W], weights [O,C,KH,KW], bias [O] or null -> y [N,O,OH,OW]
template <typename T>
struct DirectConvolution {
  Window window{};  // is_direct
  std::size_t outputs = 1;
  const T* images = nullptr;
  const T* weights = nullptr;
  const T* bias = nullptr;
};

// The window over dy whose outputs are the gradient of the images: as far as it reaches, less the
// padding there was. Its cells are those of call.window in the opposite order.
template <typename T>
Window turned_window(const DirectConvolution<T>& call) noexcept {
  Window turned = call.window;
  turned.channels = call.outputs;
  turned.height = call.window.out_height();
  turned.width = call.window.out_width();
  turned.padding_height =
      (turned.kernel_height - 1) * turned.dilation_height - turned.padding_height;
  turned.padding_width = (turned.kernel_width - 1) * turned.dilation_width - turned.padding_width;
  return turned;
}

// The memory of all these is apart from each other. Images are spread over threads; the same number
// of threads gives the same bits.
template <typename T>
void direct_convolution(const DirectConvolution<T>& call, T* y) noexcept;

// dimages [N,C,H,W] is written. call.images and call.bias are not read.
template <typename T>
void direct_convolution_images(const DirectConvolution<T>& call, const T* dy, T* dimages) noexcept;

// dweights [O,C,KH,KW] is written. call.weights and call.bias are not read.
template <typename T>
void direct_convolution_weights(const DirectConvolution<T>& call, const T* dy,
                                T* dweights) noexcept;

}  // namespace heed::kernels
