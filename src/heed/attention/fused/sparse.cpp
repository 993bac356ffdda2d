// SPDX-License-Identifier: Apache-2.0
// The recorded op around the sparse kernels. Supports are kept for backward while they are small;
// the others are computed again.
#include "heed/attention/fused/sparse.h"

#include <algorithm>
#include <vector>

#include "heed/attention/compose/products.h"
#include "heed/attention/compose/weigh.h"
#include "heed/autograd/ops.h"
#include "heed/kernels/attention/sparse_attention.h"

namespace heed::attention {
namespace {

using SparseCall = kernels::AttentionCall<Real>;

// Bytes of keys and weights kept between forward and backward. At the start of training a support
// may be the whole row.
constexpr std::size_t kMostKept = std::size_t{8} << 20;
// Keys of a row that are worth keeping on the average.
constexpr std::size_t kMostPerRow = 128;

// What forward keeps.
struct Support {
  explicit Support(const kernels::AttentionSizes& sizes) {
    const std::size_t rows = sizes.batch * sizes.heads * sizes.queries;
    const std::size_t blocks = kernels::support_entries(sizes, 1);
    const std::size_t most = kMostKept / (sizeof(Real) + sizeof(std::int32_t));
    room = std::min(kernels::kSupportRows * kMostPerRow, most / std::max<std::size_t>(blocks, 1));
    keys.resize(kernels::support_entries(sizes, room));
    weights.resize(keys.size());
    offsets.resize(rows);
    counts.resize(rows);
  }
  kernels::SparseSupport<Real> view() {
    return {room, keys.data(), weights.data(), offsets.data(), counts.data()};
  }
  std::size_t room;
  std::vector<std::int32_t> keys;
  std::vector<Real> weights;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> counts;
};

// What backward needs.
struct Saved {
  FusedOperands operands;
  std::shared_ptr<const Normaliser> normaliser;
  Tensor parameters;
  FusedNormaliser fused;
  std::shared_ptr<Support> support;
};

Gradients sparse_gradients(const Saved& saved, const Tensor& dy) {
  const FusedOperands& operands = saved.operands;
  Tensor d_query = laid_out_as(operands.query, operands.query.shape());
  Tensor d_keys = laid_out_as(operands.keys, operands.keys.shape());
  Tensor d_values = laid_out_as(operands.values, operands.values.shape());
  Tensor d_changes({static_cast<std::int64_t>(operands.parameter_count())});
  const Tensor d_context = with_dense_rows(dy);
  const bool learnt = saved.parameters.defined();
  std::vector<double> d_alpha(operands.sizes().heads);
  const bool finite = operands.with_call([&](const SparseCall& call) {
    return kernels::sparse_attention_backward<Real>(call, *saved.fused.sparse,
                                                    {.d_context = view(d_context),
                                                     .support = saved.support->view(),
                                                     .d_query = mutable_view(d_query),
                                                     .d_keys = mutable_view(d_keys),
                                                     .d_values = mutable_view(d_values),
                                                     .d_parameters = d_changes.mutable_data(),
                                                     .d_alpha = learnt ? d_alpha.data() : nullptr});
  });
  if (!finite) {
    const SparseInputs leaves{operands.leaves(), saved.normaliser,
                              learnt ? Variable::leaf(saved.parameters) : Variable()};
    backward(composed_sparse(leaves), dy);
    Gradients gradients = gradients_of(leaves.common);
    gradients.add(learnt ? Gradient(leaves.parameters.gradient()) : Gradient());
    return gradients;
  }
  Gradients gradients = gradients_of(operands, d_query, d_keys, d_values, d_changes);
  if (!learnt) {
    gradients.add({});
    return gradients;
  }
  Tensor d_parameters(saved.parameters.shape());
  Real* out = d_parameters.mutable_data();
  for (std::size_t h = 0; h < d_alpha.size(); ++h) {
    out[h] = static_cast<Real>(d_alpha[h] * saved.fused.slope[h]);
  }
  gradients.add(d_parameters);
  return gradients;
}

}  // namespace

std::optional<Variable> sparse_attention(const SparseInputs& inputs) {
  const FusedInputs& common = inputs.common;
  Variables recorded = recorded_inputs(common);
  recorded.push_back(inputs.parameters);
  const bool kept = Inputs(recorded).any_needs_gradient();
  Saved saved{FusedOperands(common), inputs.normaliser, inputs.parameters.value(),
              *inputs.normaliser->fused(), nullptr};
  if (kept) saved.support = std::make_shared<Support>(saved.operands.sizes());
  const Tensor& query = saved.operands.query;
  Tensor context = laid_out_as(
      query, {query.size(0), query.size(1), query.size(2), saved.operands.values.size(3)});
  const bool finite = saved.operands.with_call([&](const SparseCall& call) {
    return kernels::sparse_attention_forward<Real>(
        call, *saved.fused.sparse, mutable_view(context),
        kept ? saved.support->view() : kernels::SparseSupport<Real>{});
  });
  if (!finite) return std::nullopt;
  return record("sparse_attention", context, recorded,
                [saved](const Tensor& dy) -> Gradients { return sparse_gradients(saved, dy); });
}

Variable composed_sparse(const SparseInputs& inputs) {
  const FusedInputs& common = inputs.common;
  Variable scores =
      dot_products(common.scale == 1 ? common.query : common.query * common.scale, common.keys);
  for (const TileChange& change : common.changes) scores = apply(change, scores);
  Variable weights =
      weigh(*inputs.normaliser, common.pattern, {.scores = scores, .parameters = inputs.parameters})
          .weights;
  if (common.dropout.probability > 0) weights = dropout(weights, common.dropout);
  return combine(weights, common.values);
}

}  // namespace heed::attention
