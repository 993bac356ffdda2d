// SPDX-License-Identifier: Apache-2.0
// Strides in, gradients out.
#include "heed/attention/fused/operands.h"

#include "heed/base/error.h"

namespace heed::attention {
namespace {

std::size_t size_of(const Tensor& x, int axis) {
  return static_cast<std::size_t>(x.size(axis));
}

template <typename T>
kernels::Heads<T> heads(const Tensor& x, T* data) {
  return {data, static_cast<std::size_t>(x.stride(0)), static_cast<std::size_t>(x.stride(1)),
          static_cast<std::size_t>(x.stride(2))};
}

// Kernels read by these sizes alone.
const FusedInputs& checked(const FusedInputs& inputs) {
  const Variable &query = inputs.query, &keys = inputs.keys, &values = inputs.values;
  const bool fits = query.rank() == 4 && keys.rank() == 4 && values.rank() == 4 &&
                    query.size(0) == keys.size(0) && keys.size(1) > 0 &&
                    query.size(1) % keys.size(1) == 0 && query.size(3) == keys.size(3) &&
                    values.shape() == keys.shape().with(3, values.size(3));
  if (!fits) {
    throw UsageError(
        "attention: query {}, keys {} and values {}; it takes [B,H,Q,D], [B,G,K,D] with H a "
        "multiple of G, and [B,G,K,V]",
        query.shape().text(), keys.shape().text(), values.shape().text());
  }
  return inputs;
}

}  // namespace

FusedOperands::FusedOperands(const FusedInputs& inputs)
    : query(with_dense_rows(checked(inputs).query.value())),
      keys(with_dense_rows(inputs.keys.value())),
      values(with_dense_rows(inputs.values.value())),
      scale(inputs.scale),
      pattern(inputs.pattern),
      dropout(inputs.dropout) {
  for (const TileChange& change : inputs.changes) {
    changes.push_back(change.change);
    parameters.push_back(change.parameters.value());
  }
}

kernels::AttentionSizes FusedOperands::sizes() const {
  return {size_of(query, 0), size_of(query, 1), size_of(keys, 1),  size_of(query, 2),
          size_of(keys, 2),  size_of(query, 3), size_of(values, 3)};
}

kernels::AttentionCall<Real> FusedOperands::call(std::span<const ScoreChange* const> pointers,
                                                 const kernels::KeyMask* mask) const {
  return {.sizes = sizes(),
          .query = view(query),
          .keys = view(keys),
          .values = view(values),
          .scale = scale,
          .changes = pointers,
          .mask = mask,
          .dropout = {
              .probability = dropout.probability, .seed = dropout.seed, .stream = dropout.stream}};
}

FusedInputs FusedOperands::leaves() const {
  FusedInputs inputs{.query = Variable::leaf(query),
                     .keys = Variable::leaf(keys),
                     .values = Variable::leaf(values),
                     .scale = scale,
                     .pattern = pattern,
                     .dropout = dropout};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    inputs.changes.push_back(
        {changes[i], parameters[i].defined() ? Variable::leaf(parameters[i]) : Variable()});
  }
  return inputs;
}

std::size_t FusedOperands::parameter_count() const {
  std::size_t count = 0;
  for (const auto& change : changes) count += change->parameter_count();
  return count;
}

Variables recorded_inputs(const FusedInputs& inputs) {
  Variables all{inputs.query, inputs.keys, inputs.values};
  for (const TileChange& change : inputs.changes) all.push_back(change.parameters);
  return all;
}

Gradients gradients_of(const FusedInputs& leaves) {
  Gradients gradients{leaves.query.gradient(), leaves.keys.gradient(), leaves.values.gradient()};
  for (const TileChange& change : leaves.changes) {
    gradients.add(change.parameters.defined() ? Gradient(change.parameters.gradient())
                                              : Gradient());
  }
  return gradients;
}

Gradients gradients_of(const FusedOperands& operands, const Tensor& d_query, const Tensor& d_keys,
                       const Tensor& d_values, const Tensor& d_parameters) {
  Gradients gradients{d_query, d_keys, d_values};
  std::int64_t first = 0;
  for (std::size_t i = 0; i < operands.changes.size(); ++i) {
    const auto end = first + static_cast<std::int64_t>(operands.changes[i]->parameter_count());
    const Tensor& parameters = operands.parameters[i];
    gradients.add(parameters.defined()
                      ? Gradient(d_parameters.slice(0, first, end).reshape(parameters.shape()))
                      : Gradient());
    first = end;
  }
  return gradients;
}

Tensor laid_out_as(const Tensor& like, const Shape& shape) {
  if (like.stride(1) >= like.stride(2)) return Tensor(shape);
  return Tensor({shape[0], shape[2], shape[1], shape[3]}).transpose(1, 2);
}

Tensor with_dense_rows(const Tensor& x) {
  return x.stride(3) == 1 || x.size(3) == 1 ? x : x.packed();
}

kernels::Heads<const Real> view(const Tensor& x) {
  return heads(x, x.data());
}
kernels::Heads<Real> mutable_view(Tensor& x) {
  return heads(x, x.mutable_data());
}

}  // namespace heed::attention
