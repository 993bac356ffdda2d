// SPDX-License-Identifier: Apache-2.0
// Plain GEMM while all numbers are finite; only else the slow loop that leaves zeros out.
#include "heed/attention/compose/products.h"

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/reductions.h"
#include "heed/tensor/matmul.h"

namespace heed::attention {
namespace {

// The sum of finite numbers may overflow; that only costs time.
bool seems_finite(const Tensor& x) {
  const Tensor straight = x.packed();
  return std::isfinite(kernels::sum(straight.data(), static_cast<std::size_t>(straight.size())));
}

// The product of two matrices, rows of b taken only where a is not 0.
void add_rows(const Tensor& a, const Tensor& b, Real* y) {
  const auto width = static_cast<std::size_t>(b.size(1));
  for (std::int64_t i = 0; i < a.size(0); ++i) {
    for (std::int64_t k = 0; k < a.size(1); ++k) {
      const Real factor = a.data()[i * a.size(1) + k];
      if (factor != 0)
        kernels::add_scaled(factor, b.data() + k * b.size(1), y + i * b.size(1), width);
    }
  }
}

struct Heads {
  Heads(const char* op, const Shape& wide, const Shape& narrow) {
    if (wide.rank() != 4 || narrow.rank() != 4 || wide[0] != narrow[0] || narrow[1] == 0 ||
        wide[1] % narrow[1] != 0) {
      throw UsageError(
          "{}: shapes {} and {}; it takes [B,H,...] and [B,G,...] with equal B and H a multiple of "
          "G",
          op, wide.text(), narrow.text());
    }
    groups = narrow[1];
    rows = wide[1] / groups * wide[2];
  }
  // [B,H,Q,n] -> [B,G,(H/G)*Q,n]: the query heads of a group become rows of one matrix.
  Tensor fold(const Tensor& x) const { return x.reshape({x.size(0), groups, rows, x.size(3)}); }
  std::int64_t groups;
  std::int64_t rows;
};

}  // namespace

Tensor product_without_zeros(const Tensor& a, const Tensor& b) {
  if (seems_finite(b)) return matmul(a, b);
  Tensor y = Tensor::zeros(product_shape(a.shape(), b.shape(), "product"));
  const Shape batch = y.shape().without(y.rank() - 1).without(y.rank() - 2);
  const auto flat = [&](const Tensor& x) {
    const Shape full = batch.then(x.size(-2)).then(x.size(-1));
    return x.expand(full).packed().reshape({batch.size(), x.size(-2), x.size(-1)});
  };
  const Tensor left = flat(a);
  const Tensor right = flat(b);
  Real* out = y.mutable_data();
  for (std::int64_t i = 0; i < batch.size(); ++i) {
    add_rows(left.select(0, i), right.select(0, i), out + i * y.size(-2) * y.size(-1));
  }
  return y;
}

Variable dot_products(const Variable& query, const Variable& keys) {
  const Heads heads("dot product", query.shape(), keys.shape());
  if (query.size(3) != keys.size(3)) {
    throw UsageError("dot product: queries of width {} and keys of width {}; they must be equal",
                     query.size(3), keys.size(3));
  }
  const Tensor q = heads.fold(query.value());
  const Tensor& k = keys.value();
  const Shape shape{query.size(0), query.size(1), query.size(2), keys.size(2)};
  return record("dot_products", matmul(q, k.transpose()).reshape(shape), {query, keys},
                [q, k, heads, from = query.shape()](const Tensor& dy, Needs needs) -> Gradients {
                  const Tensor ds = heads.fold(dy);
                  return {
                      needs[0] ? Gradient(product_without_zeros(ds, k).reshape(from)) : Gradient(),
                      needs[1] ? Gradient(product_without_zeros(ds.transpose(), q)) : Gradient()};
                });
}

Variable combine(const Variable& weights, const Variable& values) {
  const Heads heads("combine", weights.shape(), values.shape());
  if (weights.size(3) != values.size(2)) {
    throw UsageError("combine: weights over {} keys and {} values; they must be as many",
                     weights.size(3), values.size(2));
  }
  const Tensor w = heads.fold(weights.value());
  const Tensor& v = values.value();
  const Shape shape{weights.size(0), weights.size(1), weights.size(2), values.size(3)};
  return record("combine", product_without_zeros(w, v).reshape(shape), {weights, values},
                [w, v, heads, from = weights.shape()](const Tensor& dy, Needs needs) -> Gradients {
                  const Tensor dc = heads.fold(dy);
                  // d_weights of a masked key may be NaN here; the normaliser never reads it.
                  return {
                      needs[0] ? Gradient(matmul(dc, v.transpose()).reshape(from)) : Gradient(),
                      needs[1] ? Gradient(product_without_zeros(w.transpose(), dc)) : Gradient()};
                });
}

}  // namespace heed::attention
