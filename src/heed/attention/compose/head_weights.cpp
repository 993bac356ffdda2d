// SPDX-License-Identifier: Apache-2.0
// Projections per head, in which rows without a gradient are absent.
#include "heed/attention/compose/head_weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/reductions.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/arithmetic.h"
#include "heed/tensor/join.h"

namespace heed::attention {
namespace {

// x with zeros in the rows whose row of dy is zero; x itself while it is finite.
Tensor rows_with_gradient(const Tensor& x, const Tensor& dy) {
  const Tensor straight = x.packed();
  // The sum of finite numbers may overflow; that only costs time.
  const auto count = static_cast<std::size_t>(straight.size());
  if (std::isfinite(kernels::sum(straight.data(), count))) return x;
  Tensor kept = x.clone();
  const Tensor upstream = dy.packed();
  const std::int64_t width = x.size(-1);
  const std::int64_t out = dy.size(-1);
  Real* row = kept.mutable_data();
  for (std::int64_t i = 0; i < upstream.size() / out; ++i, row += width) {
    const Real* gradient = upstream.data() + i * out;
    if (std::all_of(gradient, gradient + out, [](Real g) { return g == 0; })) {
      std::fill_n(row, width, Real{0});
    }
  }
  return kept;
}

// [B,H,S,n] -> [H,B*S,n]: the batch is summed inside one product per head.
Tensor by_head(const Tensor& x) {
  return x.permute({1, 0, 2, 3}).reshape({x.size(1), x.size(0) * x.size(2), x.size(3)});
}

Gradient weight_gradient(const Tensor& dy, const Tensor& x, int rank) {
  if (dy.size() == 0) return {};
  const Tensor kept = rows_with_gradient(x, dy);
  if (rank == 3) return Gradient::product(by_head(dy).transpose(), by_head(kept));
  return Gradient::product(dy.reshape({-1, dy.size(-1)}).transpose(),
                           kept.reshape({-1, kept.size(-1)}));
}

}  // namespace

Variable head_parameter(std::int64_t heads, const std::function<Tensor()>& make) {
  if (heads == 1) return nn::parameter(make());
  std::vector<Tensor> each;
  for (std::int64_t head = 0; head < heads; ++head) {
    const Tensor one = make();
    each.push_back(one.reshape(one.shape().inserted(0, 1)));
  }
  return nn::parameter(concat(each, 0));
}

// y = x w^T: dx = dy w, dw = dy^T x.
Variable project_heads(const Variable& x, const Variable& w) {
  const bool fits = x.rank() == 4 && (w.rank() == 2 || (w.rank() == 3 && w.size(0) == x.size(1))) &&
                    x.size(3) == w.size(-1);
  if (!fits) {
    throw UsageError(
        "projection: input {} and weights {}; it takes [B,H,S,D] and [out,D] or [H,out,D]",
        x.shape().text(), w.shape().text());
  }
  return record("project_heads", matmul(x.value(), w.value().transpose()), {x, w},
                [x = x.value(), w = w.value()](const Tensor& dy, Needs needs) -> Gradients {
                  return {needs[0] ? Gradient(matmul(dy, w)) : Gradient(),
                          needs[1] ? weight_gradient(dy, x, w.rank()) : Gradient()};
                });
}

Variable heads_of(const Variable& x, std::int64_t first, std::int64_t count) {
  return first == 0 && count == x.size(1) ? x : slice(x, 1, first, first + count);
}

Variable along_heads(const Variable& parameter, int rank_per_head) {
  const Shape& shape = parameter.shape();
  if (shape.rank() == rank_per_head) return reshape(parameter, shape.inserted(0, 1).inserted(0, 1));
  return reshape(parameter, shape.inserted(1, 1));
}

}  // namespace heed::attention
