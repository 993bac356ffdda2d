// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm over the rows of a matrix, forward and backward.
#pragma once

#include <cstddef>

#include "heed/base/exported.h"

namespace heed::kernels {

// x [rows, columns] -> y [rows, columns], where y may be x. A null gain means 1, a null bias 0. The
// statistics [rows] are what the backward call needs; each may be null when it is not needed.
template <typename T>
struct NormForward {
  const T* x = nullptr;
  const T* gain = nullptr;  // [columns]
  const T* bias = nullptr;  // [columns]; layer norm only
  T* y = nullptr;
  T* mean = nullptr;               // [rows]; layer norm only
  T* inverse_deviation = nullptr;  // [rows]
  std::size_t rows = 0;
  std::size_t columns = 0;
  T epsilon = static_cast<T>(1e-5);
};

// dy [rows, columns] -> dx [rows, columns], dgain [columns], dbias [columns], all overwritten; each
// may be null when it is not wanted, and dx may be dy. Rows are summed into dgain and dbias thread
// by thread, then over threads in order: same bits for the same thread count.
template <typename T>
struct NormBackward {
  const T* x = nullptr;
  const T* gain = nullptr;
  const T* mean = nullptr;               // layer norm only
  const T* inverse_deviation = nullptr;  // what the forward call wrote
  const T* dy = nullptr;
  T* dx = nullptr;
  T* dgain = nullptr;
  T* dbias = nullptr;  // layer norm only
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// y = (x - mean) / sqrt(variance + epsilon) * gain + bias, with the variance divided by columns
// (Ba 2016).
template <typename T>
HEED_EXPORTED void layer_norm(const NormForward<T>& norm) noexcept;
template <typename T>
void layer_norm_backward(const NormBackward<T>& norm) noexcept;

// y = x / sqrt(mean of x^2 + epsilon) * gain (Zhang 2019).
template <typename T>
HEED_EXPORTED void rms_norm(const NormForward<T>& norm) noexcept;
template <typename T>
void rms_norm_backward(const NormBackward<T>& norm) noexcept;

}  // namespace heed::kernels
