// SPDX-License-Identifier: Apache-2.0
// Arithmetic with broadcasting; the gradient of a stretched operand is summed back to its shape.
#include "heed/tensor/arithmetic.h"
#include "heed/autograd/ops.h"

namespace heed {

Variable operator+(const Variable& a, const Variable& b) {
  return record("add", a.value() + b.value(), {a, b},
                [sa = a.shape(), sb = b.shape()](const Tensor& dy) -> Gradients {
                  return {sum_to(dy, sa), sum_to(dy, sb)};
                });
}

Variable operator-(const Variable& a, const Variable& b) {
  return record("subtract", a.value() - b.value(), {a, b},
                [sa = a.shape(), sb = b.shape()](const Tensor& dy, Needs needs) -> Gradients {
                  return {sum_to(dy, sa), needs[1] ? Gradient(-sum_to(dy, sb)) : Gradient()};
                });
}

Variable operator*(const Variable& a, const Variable& b) {
  return record("multiply", a.value() * b.value(), {a, b},
                [a = a.value(), b = b.value()](const Tensor& dy, Needs needs) -> Gradients {
                  return {needs[0] ? Gradient(sum_to(dy * b, a.shape())) : Gradient(),
                          needs[1] ? Gradient(sum_to(dy * a, b.shape())) : Gradient()};
                });
}

Variable operator/(const Variable& a, const Variable& b) {
  const Tensor y = a.value() / b.value();
  return record("divide", y, {a, b},
                [y, b = b.value(), sa = a.shape()](const Tensor& dy, Needs needs) -> Gradients {
                  const Tensor da = dy / b;
                  return {needs[0] ? Gradient(sum_to(da, sa)) : Gradient(),
                          needs[1] ? Gradient(-sum_to(da * y, b.shape())) : Gradient()};
                });
}

Variable operator+(const Variable& a, Real b) {
  return record("add_constant", a.value() + b, {a},
                [](const Tensor& dy) -> Gradients { return {dy}; });
}

Variable operator*(const Variable& a, Real b) {
  return record("scale", a.value() * b, {a},
                [b](const Tensor& dy) -> Gradients { return {dy * b}; });
}

Variable operator-(const Variable& a) {
  return record("negate", -a.value(), {a}, [](const Tensor& dy) -> Gradients { return {-dy}; });
}

Variable power(const Variable& x, Real exponent) {
  const auto raise = [](const Tensor& base, Real to) {
    return binary(kernels::Binary::power, base, Tensor::scalar(to), "power");
  };
  return record("power", raise(x.value(), exponent), {x},
                [x = x.value(), exponent, raise](const Tensor& dy) -> Gradients {
                  // d x^0 is 0 everywhere, where 0 * 0^-1 would be NaN.
                  if (exponent == 0) return {Tensor::zeros(x.shape())};
                  return {dy * raise(x, exponent - 1) * exponent};
                });
}

namespace {

// Splits dy between a and b; first_wins is 1 where a was taken.
Gradients divide_between(const Tensor& dy, const Tensor& first_wins, const Tensor& a,
                         const Tensor& b) {
  const Tensor da = dy * first_wins;
  return {sum_to(da, a.shape()), sum_to(dy - da, b.shape())};
}

}  // namespace

Variable maximum(const Variable& a, const Variable& b) {
  return record("maximum", binary(kernels::Binary::maximum, a.value(), b.value(), "maximum"),
                {a, b}, [a = a.value(), b = b.value()](const Tensor& dy) {
                  return divide_between(dy, binary(kernels::Binary::less_equal, b, a, "maximum"), a,
                                        b);
                });
}

Variable minimum(const Variable& a, const Variable& b) {
  return record("minimum", binary(kernels::Binary::minimum, a.value(), b.value(), "minimum"),
                {a, b}, [a = a.value(), b = b.value()](const Tensor& dy) {
                  return divide_between(dy, binary(kernels::Binary::less_equal, a, b, "minimum"), a,
                                        b);
                });
}

Variable where(const Tensor& condition, const Variable& a, const Variable& b) {
  return record(
      "where", where(condition, a.value(), b.value()), {a, b},
      [condition, sa = a.shape(), sb = b.shape()](const Tensor& dy, Needs needs) -> Gradients {
        const Tensor zero = Tensor::scalar(0);
        return {needs[0] ? Gradient(sum_to(where(condition, dy, zero), sa)) : Gradient(),
                needs[1] ? Gradient(sum_to(where(condition, zero, dy), sb)) : Gradient()};
      });
}

}  // namespace heed
