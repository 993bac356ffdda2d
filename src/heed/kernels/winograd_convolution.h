// SPDX-License-Identifier: Apache-2.0
// Convolution with windows of 3 x 3 by transforms (Winograd 1980; Lavin & Gray 2016): 2 x 2 places
// at once take 16 products for each pair of channels instead of 36.
//
// In float, 32 to 64 channels of 30 x 30, it errs by 2e-7 of the largest sum forward, where sums
// are a ninth as long (directly 6e-7), and by 1e-6 in gradients of weights (directly 2e-7). A
// number that is not finite spoils all of the 2 x 2 places that see it together.
#pragma once

#include "heed/kernels/direct_convolution.h"

namespace heed::kernels {

// Whether the window is 3 x 3 and as is_direct asks, without gaps, and there are channels enough on
// both sides to pay for the transforms. Below 8 the direct convolution is as fast.
inline bool is_winograd(const Window& window, std::size_t outputs) noexcept {
  return is_direct(window) && window.kernel_height == 3 && window.kernel_width == 3 &&
         window.dilation_height == 1 && window.dilation_width == 1 && window.channels >= 8 &&
         outputs >= 8;
}

// As direct_convolution() and its gradients, of windows that are is_winograd().
template <typename T>
void winograd_convolution(const DirectConvolution<T>& call, T* y) noexcept;
template <typename T>
void winograd_convolution_images(const DirectConvolution<T>& call, const T* dy,
                                 T* dimages) noexcept;
template <typename T>
void winograd_convolution_weights(const DirectConvolution<T>& call, const T* dy,
                                  T* dweights) noexcept;

}  // namespace heed::kernels
