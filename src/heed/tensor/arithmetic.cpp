// SPDX-License-Identifier: Apache-2.0
// Broadcasting arithmetic over planes of strided tensors.
#include "heed/tensor/arithmetic.h"

#include "heed/base/error.h"
#include "heed/kernels/elementwise.h"
#include "heed/tensor/reduce.h"
#include "heed/tensor/strided.h"

namespace heed {
namespace {

std::size_t count(const Tensor& x) {
  return static_cast<std::size_t>(x.size());
}

void binary_into(kernels::Binary op, const Tensor& a, const Tensor& b, Tensor& y) {
  Real* out = y.mutable_data();
  if (a.contiguous() && b.contiguous() && a.shape() == y.shape() && b.shape() == y.shape()) {
    const std::ptrdiff_t n = y.size();
    kernels::binary<Real>(op, 1, count(y), a.data(), {n, 1}, b.data(), {n, 1}, out, n);
    return;
  }
  for_each_plane<3>(y.shape(), {strides_at(a, y.shape()), strides_at(b, y.shape()), strides_of(y)},
                    [&](const Plane& plane, const Offsets<3>& at) {
                      // y is contiguous, so its merged column stride is 1 (or the plane has one
                      // column).
                      kernels::binary<Real>(op, plane.rows, plane.columns, a.data() + at[0],
                                            {plane.row[0], plane.column[0]}, b.data() + at[1],
                                            {plane.row[1], plane.column[1]}, out + at[2],
                                            plane.row[2]);
                    });
}

}  // namespace

Tensor map(UnaryKernel kernel, const Tensor& x) {
  const Tensor straight = x.required("map").packed();
  Tensor y(x.shape());
  kernel(straight.data(), y.mutable_data(), count(y));
  return y;
}

Tensor map(BackwardKernel kernel, const Tensor& z, const Tensor& dy) {
  const Tensor straight_z = z.required("map").packed();
  const Tensor straight_dy = dy.required("map").packed();
  Tensor dx(z.shape());
  kernel(straight_z.data(), straight_dy.data(), dx.mutable_data(), count(dx));
  return dx;
}

Tensor binary(kernels::Binary op, const Tensor& a, const Tensor& b, const char* name) {
  Tensor y(broadcast(a.required(name).shape(), b.required(name).shape(), name));
  binary_into(op, a, b, y);
  return y;
}

Tensor operator+(const Tensor& a, const Tensor& b) {
  return binary(kernels::Binary::add, a, b, "add");
}
Tensor operator-(const Tensor& a, const Tensor& b) {
  return binary(kernels::Binary::subtract, a, b, "subtract");
}
Tensor operator*(const Tensor& a, const Tensor& b) {
  return binary(kernels::Binary::multiply, a, b, "multiply");
}
Tensor operator/(const Tensor& a, const Tensor& b) {
  return binary(kernels::Binary::divide, a, b, "divide");
}

Tensor operator+(const Tensor& a, Real b) {
  const Tensor straight = a.required("add").packed();
  Tensor y(a.shape());
  kernels::add_constant(b, straight.data(), y.mutable_data(), count(y));
  return y;
}

Tensor operator*(const Tensor& a, Real b) {
  const Tensor straight = a.required("multiply").packed();
  Tensor y(a.shape());
  kernels::scale(b, straight.data(), y.mutable_data(), count(y));
  return y;
}

Tensor operator-(Real a, const Tensor& b) {
  return -b + a;
}
Tensor operator-(const Tensor& a) {
  return map(kernels::negate<Real>, a);
}

void add_to(Tensor& y, const Tensor& x, Real scale) {
  x.required("add_to");
  if (!y.required("add_to").contiguous()) {
    throw UsageError("add_to: the target of shape {} is strided; it takes a contiguous one",
                     y.shape().text());
  }
  if (x.shape() == y.shape() && x.contiguous()) {
    return kernels::add_scaled(scale, x.data(), y.mutable_data(), count(y));
  }
  if (broadcast(y.shape(), x.shape(), "add_to") != y.shape()) {
    throw UsageError("add_to: shape {} does not stretch to {}", x.shape().text(), y.shape().text());
  }
  binary_into(kernels::Binary::add, y, scale == 1 ? x : x * scale, y);
}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  for (const Tensor* operand : {&condition, &a, &b}) operand->required("where");
  const Shape shape =
      broadcast(broadcast(a.shape(), b.shape(), "where"), condition.shape(), "where");
  const Tensor c = condition.expand(shape).packed();
  const Tensor yes = a.expand(shape).packed();
  const Tensor no = b.expand(shape).packed();
  Tensor y(shape);
  kernels::select(c.data(), yes.data(), no.data(), y.mutable_data(), count(y));
  return y;
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Tensor y = x;
  while (y.rank() > shape.rank()) y = sum(y, 0);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1 && y.shape()[axis] != 1) y = sum(y, axis).unsqueeze(axis);
  }
  return y;
}

}  // namespace heed
