// SPDX-License-Identifier: Apache-2.0
// Matrix products. Gradients of unbroadcast operands stay pending products, added by GEMM with
// beta 1.
#include "heed/autograd/ops.h"
#include "heed/tensor/arithmetic.h"

namespace heed {
namespace {

// a b as the gradient of an operand of `shape`, which may have been broadcast over leading axes.
Gradient product_for(const Shape& shape, const Tensor& a, const Tensor& b) {
  if (product_shape(a.shape(), b.shape(), "matmul") == shape) return Gradient::product(a, b);
  return sum_to(matmul(a, b), shape);
}

Tensor as_rows(const Tensor& x) {
  return x.reshape({-1, x.size(-1)});
}

}  // namespace

// y = a b: da = dy b^T, db = a^T dy.
Variable matmul(const Variable& a, const Variable& b) {
  return record("matmul", matmul(a.value(), b.value()), {a, b},
                [a = a.value(), b = b.value()](const Tensor& dy, Needs needs) -> Gradients {
                  Gradients gradients;
                  gradients.add(needs[0] ? product_for(a.shape(), dy, b.transpose()) : Gradient());
                  if (!needs[1]) {
                    gradients.add({});
                  } else if (b.rank() == 2 && dy.size() > 0) {
                    // The batch is summed inside one product instead of after many.
                    gradients.add(Gradient::product(as_rows(a).transpose(), as_rows(dy)));
                  } else {
                    gradients.add(product_for(b.shape(), a.transpose(), dy));
                  }
                  return gradients;
                });
}

// y = x w^T + bias: dx = dy w, dw = dy^T x, dbias = the sum of the rows of dy.
Variable linear(const Variable& x, const Variable& w, const Variable& bias, Activation activation) {
  const Inputs inputs{x, w, bias};
  // Without a graph the activation rides on the GEMM; with one, its own op keeps what it needs.
  if (!inputs.any_needs_gradient()) return linear(x.value(), w.value(), bias.value(), activation);
  const Variable y =
      record("linear", linear(x.value(), w.value(), bias.value()), inputs,
             [x = x.value(), w = w.value()](const Tensor& dy, Needs needs) -> Gradients {
               const Tensor rows = as_rows(dy);
               return {needs[0] ? Gradient(matmul(rows, w).reshape(x.shape())) : Gradient(),
                       needs[1] ? Gradient::product(rows.transpose(), as_rows(x)) : Gradient(),
                       needs[2] ? Gradient(sum(rows, 0)) : Gradient()};
             });
  return activate(activation, y);
}

}  // namespace heed
