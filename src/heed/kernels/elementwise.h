// SPDX-License-Identifier: Apache-2.0
// Elementwise maps of one operand and their gradients, over float and double.
//
// All take n items, n = 0 included, at any alignment. An output may be one of the inputs (y == x),
// but not overlap it otherwise. Work above some 32,000 items is spread over threads; every item is
// computed alone, so the result does not depend on their number. NaN in gives NaN out.
#pragma once

#include <cstddef>

#include "heed/base/exported.h"

namespace heed::kernels {

// y = f(x). exp, log, tanh, sigmoid and erf are within 3 ulp (float) or 4 ulp (double).
template <typename T>
HEED_EXPORTED void exp(const T* x, T* y, std::size_t n) noexcept;
template <typename T>
HEED_EXPORTED void log(const T* x, T* y, std::size_t n) noexcept;
template <typename T>
void sqrt(const T* x, T* y, std::size_t n) noexcept;
template <typename T>
void square(const T* x, T* y, std::size_t n) noexcept;
template <typename T>
HEED_EXPORTED void absolute(const T* x, T* y, std::size_t n) noexcept;
template <typename T>
void negate(const T* x, T* y, std::size_t n) noexcept;
template <typename T>
void sin(const T* x, T* y, std::size_t n) noexcept;
template <typename T>
void cos(const T* x, T* y, std::size_t n) noexcept;
template <typename T>
HEED_EXPORTED void tanh(const T* x, T* y, std::size_t n) noexcept;
// 1 / (1 + exp(-x))
template <typename T>
HEED_EXPORTED void sigmoid(const T* x, T* y, std::size_t n) noexcept;
template <typename T>
HEED_EXPORTED void erf(const T* x, T* y, std::size_t n) noexcept;
// x * Phi(x), Phi the standard normal distribution: x/2 * (1 + erf(x / sqrt 2)).
template <typename T>
HEED_EXPORTED void gelu(const T* x, T* y, std::size_t n) noexcept;
// x/2 * (1 + tanh(sqrt(2/pi) * (x + .044715 x^3))), Hendrycks and Gimpel 2016.
template <typename T>
void gelu_tanh(const T* x, T* y, std::size_t n) noexcept;
// max(x, 0)
template <typename T>
void relu(const T* x, T* y, std::size_t n) noexcept;
// x * sigmoid(x)
template <typename T>
void swish(const T* x, T* y, std::size_t n) noexcept;
// log(1 + exp(x)), without overflow.
template <typename T>
void softplus(const T* x, T* y, std::size_t n) noexcept;

// dx = dy * f'(x), given the output y = f(x) ...
template <typename T>
void tanh_backward(const T* y, const T* dy, T* dx, std::size_t n) noexcept;
template <typename T>
void sigmoid_backward(const T* y, const T* dy, T* dx, std::size_t n) noexcept;
// y may equally be x: dx = dy where it is positive, else 0.
template <typename T>
void relu_backward(const T* y, const T* dy, T* dx, std::size_t n) noexcept;

// ... or given the input x.
template <typename T>
void erf_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept;
template <typename T>
void gelu_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept;
template <typename T>
void gelu_tanh_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept;
template <typename T>
void swish_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept;
template <typename T>
void softplus_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept;

// y = value
template <typename T>
void fill(T* y, std::size_t n, T value) noexcept;
// y = alpha * x
template <typename T>
HEED_EXPORTED void scale(T alpha, const T* x, T* y, std::size_t n) noexcept;
// y += alpha * x
template <typename T>
void add_scaled(T alpha, const T* x, T* y, std::size_t n) noexcept;
// y = x + constant
template <typename T>
void add_constant(T constant, const T* x, T* y, std::size_t n) noexcept;
// y = x held between low and high; NaN stays NaN.
template <typename T>
void clamp(T low, T high, const T* x, T* y, std::size_t n) noexcept;
// y = condition != 0 ? a : b
template <typename T>
void select(const T* condition, const T* a, const T* b, T* y, std::size_t n) noexcept;
}  // namespace heed::kernels
