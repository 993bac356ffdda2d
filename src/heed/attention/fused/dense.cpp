// SPDX-License-Identifier: Apache-2.0
// The recorded op around the dense kernels, with the composition as what it falls back on.
#include "heed/attention/fused/dense.h"

#include "heed/attention/compose/products.h"
#include "heed/attention/compose/weigh.h"
#include "heed/autograd/ops.h"
#include "heed/kernels/attention/attention.h"
#include "heed/kernels/attention/attention_decode.h"

namespace heed::attention {
namespace {

using DenseCall = kernels::AttentionCall<Real>;

Gradients dense_gradients(const FusedOperands& operands, const Tensor& context,
                          const Tensor& log_sum_exp, const Tensor& dy) {
  Tensor d_query = laid_out_as(operands.query, operands.query.shape());
  Tensor d_keys = laid_out_as(operands.keys, operands.keys.shape());
  Tensor d_values = laid_out_as(operands.values, operands.values.shape());
  Tensor d_parameters({static_cast<std::int64_t>(operands.parameter_count())});
  const Tensor d_context = with_dense_rows(dy);
  const bool finite = operands.with_call([&](const DenseCall& call) {
    return kernels::attention_backward<Real>(call, {.context = view(context),
                                                    .d_context = view(d_context),
                                                    .log_sum_exp = log_sum_exp.data(),
                                                    .d_query = mutable_view(d_query),
                                                    .d_keys = mutable_view(d_keys),
                                                    .d_values = mutable_view(d_values),
                                                    .d_parameters = d_parameters.mutable_data()});
  });
  if (finite) return gradients_of(operands, d_query, d_keys, d_values, d_parameters);
  const FusedInputs leaves = operands.leaves();
  backward(composed_dense(leaves), dy);
  return gradients_of(leaves);
}

}  // namespace

std::optional<DenseResult> dense_attention(const FusedInputs& inputs) {
  const FusedOperands operands(inputs);
  const Tensor& query = operands.query;
  const Shape rows{query.size(0), query.size(1), query.size(2)};
  Tensor context = laid_out_as(query, rows.then(inputs.values.size(3)));
  Tensor log_sum_exp(rows);
  const bool finite = operands.with_call([&](const DenseCall& call) {
    const auto kernel = kernels::decode_fits(call.sizes) ? kernels::attention_decode<Real>
                                                         : kernels::attention_forward<Real>;
    return kernel(call, mutable_view(context), log_sum_exp.mutable_data());
  });
  if (!finite) return std::nullopt;
  const Variable result = record("dense_attention", context, recorded_inputs(inputs),
                                 [operands, context, log_sum_exp](const Tensor& dy) -> Gradients {
                                   return dense_gradients(operands, context, log_sum_exp, dy);
                                 });
  return DenseResult{result, log_sum_exp};
}

Variable composed_dense(const FusedInputs& inputs) {
  Variable scores =
      dot_products(inputs.scale == 1 ? inputs.query : inputs.query * inputs.scale, inputs.keys);
  for (const TileChange& change : inputs.changes) scores = apply(change, scores);
  Variable weights = softmax_weights(scores, inputs.pattern);
  if (inputs.dropout.probability > 0) weights = dropout(weights, inputs.dropout);
  return combine(weights, inputs.values);
}

}  // namespace heed::attention
