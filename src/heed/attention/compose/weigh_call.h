// SPDX-License-Identifier: Apache-2.0
// What the two ways of weighing share: by rows (weigh_rows.cpp) and by matrices
// (weigh_matrices.cpp).
#pragma once

#include <memory>
#include <span>

#include "heed/attention/compose/allowed_keys.h"
#include "heed/attention/normaliser.h"

namespace heed::attention {

// One call's tensors, contiguous; kept for backward.
struct WeighCall {
  std::shared_ptr<const BoundPattern> pattern;  // null: every key is allowed
  ScoreSizes sizes;
  Tensor scores;      // [B,H,Q,K]
  Tensor parameters;  // [H,P], or not defined
  Tensor bounds;      // [B,H,Q,K], or not defined
  RowRandom random;   // of row 0

  std::int64_t parameter_count() const { return parameters.defined() ? parameters.size(1) : 0; }
  std::span<const Real> parameters_of(std::int64_t head) const {
    if (!parameters.defined()) return {};
    return {parameters.data() + head * parameter_count(),
            static_cast<std::size_t>(parameter_count())};
  }
};

// weights [B,H,Q,K], and [B,H,Q] the log-probability and the entropy of draws.
using WeighOutputs = PooledVector<Tensor>;
WeighOutputs weigh_rows(const RowNormaliser& normaliser, const WeighCall& call);
WeighOutputs weigh_matrices(const MatrixNormaliser& normaliser, const WeighCall& call);

// The gradients of scores, parameters and bounds, given those of the outputs.
Gradients weigh_rows_backward(const RowNormaliser& normaliser, const WeighCall& call,
                              const Tensor& weights, std::span<const Tensor> upstream, Needs needs);
Gradients weigh_matrices_backward(const MatrixNormaliser& normaliser, const WeighCall& call,
                                  const Tensor& weights, std::span<const Tensor> upstream,
                                  Needs needs);

}  // namespace heed::attention
