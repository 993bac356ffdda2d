// SPDX-License-Identifier: Apache-2.0
// Matrix products of tensors: batched, broadcast, and straight from transposed views without a
// copy.
#pragma once  // public header

#include "heed/kernels/products/gemm.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

using kernels::Activation;

// a [...,m,k], b [...,k,n] -> [...,m,n]; the leading axes broadcast.
Tensor matmul(const Tensor& a, const Tensor& b);

// y += a b, where y [...,m,n] is contiguous and has the product's shape.
void add_product(Tensor& y, const Tensor& a, const Tensor& b);

// activation(x w^T + bias): x [...,in], w [out,in], bias [out] or not defined -> [...,out]
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias,
              Activation activation = Activation::none);

// The shape of matmul(a, b), or a UsageError that names op and both shapes.
Shape product_shape(const Shape& a, const Shape& b, const char* op);

}  // namespace heed

#pragma GCC visibility pop
