// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic on tensors, with broadcasting; values only, gradients are autograd's
// business.
#pragma once  // public header

#include "heed/kernels/binary.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

// y = kernel(x) element by element; kernel is one of kernels/elementwise.h, such as
// kernels::tanh<Real>.
using UnaryKernel = void (*)(const Real* x, Real* y, std::size_t n) noexcept;
Tensor map(UnaryKernel kernel, const Tensor& x);

// dx = kernel(z, dy), where z is whatever the kernel asks for (its input or its output).
using BackwardKernel = void (*)(const Real* z, const Real* dy, Real* dx, std::size_t n) noexcept;
Tensor map(BackwardKernel kernel, const Tensor& z, const Tensor& dy);

// a op b over the shape both broadcast to.
Tensor binary(kernels::Binary op, const Tensor& a, const Tensor& b, const char* name);

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, Real b);
Tensor operator*(const Tensor& a, Real b);
inline Tensor operator+(Real a, const Tensor& b) {
  return b + a;
}
inline Tensor operator*(Real a, const Tensor& b) {
  return b * a;
}
inline Tensor operator-(const Tensor& a, Real b) {
  return a + -b;
}
inline Tensor operator/(const Tensor& a, Real b) {
  return a * (Real{1} / b);
}
Tensor operator-(Real a, const Tensor& b);
Tensor operator-(const Tensor& a);

// y += scale * x, in place; x broadcasts to y's shape, y is contiguous.
void add_to(Tensor& y, const Tensor& x, Real scale = 1);

// condition != 0 ? a : b, all three broadcast together.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

// Sums x over the axes along which `shape` was stretched to x's shape: the gradient of
// broadcasting.
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace heed

#pragma GCC visibility pop
