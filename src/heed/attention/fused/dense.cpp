// SPDX-License-Identifier: Apache-2.0
// The recorded op around the fused kernels: strides in, gradients out, the composition as what it
// falls back on.
#include "heed/attention/fused/dense.h"

#include "heed/attention/fused/key_mask.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/products.h"
#include "heed/attention/weigh.h"
#include "heed/autograd/ops.h"
#include "heed/kernels/attention.h"
#include "heed/kernels/attention_decode.h"

namespace heed::attention {
namespace {

std::size_t size_of(const Tensor& x, int axis) {
  return static_cast<std::size_t>(x.size(axis));
}

// Rows whose items lie side by side: itself, or a copy.
Tensor with_dense_rows(const Tensor& x) {
  return x.stride(3) == 1 || x.size(3) == 1 ? x : x.packed();
}

template <typename T>
kernels::Heads<T> view(const Tensor& x, T* data) {
  return {data, static_cast<std::size_t>(x.stride(0)), static_cast<std::size_t>(x.stride(1)),
          static_cast<std::size_t>(x.stride(2))};
}
kernels::Heads<const Real> view(const Tensor& x) {
  return view(x, x.data());
}
kernels::Heads<Real> mutable_view(Tensor& x) {
  return view(x, x.mutable_data());
}

// A tensor [B,H,S,width] that lies in memory as `like` does: heads inside rows, [B,S,H,width],
// where its heads are nearer to each other than its rows.
Tensor laid_out_as(const Tensor& like, const Shape& shape) {
  if (like.stride(1) >= like.stride(2)) return Tensor(shape);
  return Tensor({shape[0], shape[2], shape[1], shape[3]}).transpose(1, 2);
}

// What forward and backward give to the kernels.
struct Call {
  explicit Call(const DenseInputs& inputs)
      : query(with_dense_rows(inputs.query.value())),
        keys(with_dense_rows(inputs.keys.value())),
        values(with_dense_rows(inputs.values.value())),
        scale(inputs.scale),
        pattern(inputs.pattern),
        dropout(inputs.dropout) {
    for (const TileChange& change : inputs.changes) changes.push_back(change.change);
  }
  kernels::AttentionSizes sizes() const {
    return {size_of(query, 0), size_of(query, 1), size_of(keys, 1),  size_of(query, 2),
            size_of(keys, 2),  size_of(query, 3), size_of(values, 3)};
  }
  // Calls body(kernel call); the call lives as long.
  template <typename Body>
  auto with_kernel_call(const Body& body) const {
    std::vector<const ScoreChange*> pointers;
    for (const auto& change : changes) pointers.push_back(change.get());
    const PatternMask mask(pattern);
    const bool all = pattern == nullptr || allows_all(*pattern, sizes());
    return body(kernels::AttentionCall<Real>{
        .sizes = sizes(),
        .query = view(query),
        .keys = view(keys),
        .values = view(values),
        .scale = scale,
        .changes = pointers,
        .mask = all ? nullptr : &mask,
        .dropout = {
            .probability = dropout.probability, .seed = dropout.seed, .stream = dropout.stream}});
  }

  Tensor query, keys, values;
  Real scale;
  std::vector<std::shared_ptr<const ScoreChange>> changes;
  std::shared_ptr<const BoundPattern> pattern;
  DropoutMask dropout;
};

// The gradients of query, keys, values and the parameters of the changes, through the composition.
Gradients composed_gradients(const Call& call, const std::vector<Tensor>& parameters,
                             const Tensor& d_context) {
  DenseInputs inputs{.query = Variable::leaf(call.query),
                     .keys = Variable::leaf(call.keys),
                     .values = Variable::leaf(call.values),
                     .scale = call.scale,
                     .pattern = call.pattern,
                     .dropout = call.dropout};
  for (std::size_t i = 0; i < call.changes.size(); ++i) {
    inputs.changes.push_back(
        {call.changes[i], parameters[i].defined() ? Variable::leaf(parameters[i]) : Variable()});
  }
  backward(composed_attention(inputs).context, d_context);
  Gradients gradients{inputs.query.gradient(), inputs.keys.gradient(), inputs.values.gradient()};
  for (const TileChange& change : inputs.changes) {
    gradients.add(change.parameters.defined() ? Gradient(change.parameters.gradient())
                                              : Gradient());
  }
  return gradients;
}

Gradients dense_gradients(const Call& call, const Tensor& context, const Tensor& log_sum_exp,
                          const std::vector<Tensor>& parameters, const Tensor& dy) {
  Tensor d_query = laid_out_as(call.query, call.query.shape());
  Tensor d_keys = laid_out_as(call.keys, call.keys.shape());
  Tensor d_values = laid_out_as(call.values, call.values.shape());
  std::size_t count = 0;
  for (const auto& change : call.changes) count += change->parameter_count();
  Tensor d_parameters({static_cast<std::int64_t>(count)});
  const Tensor d_context = with_dense_rows(dy);
  const bool finite = call.with_kernel_call([&](const kernels::AttentionCall<Real>& kernel_call) {
    return kernels::attention_backward<Real>(kernel_call,
                                             {.context = view(context),
                                              .d_context = view(d_context),
                                              .log_sum_exp = log_sum_exp.data(),
                                              .d_query = mutable_view(d_query),
                                              .d_keys = mutable_view(d_keys),
                                              .d_values = mutable_view(d_values),
                                              .d_parameters = d_parameters.mutable_data()});
  });
  if (!finite) return composed_gradients(call, parameters, dy);
  Gradients gradients{d_query, d_keys, d_values};
  std::int64_t first = 0;
  for (std::size_t i = 0; i < call.changes.size(); ++i) {
    const auto end = first + static_cast<std::int64_t>(call.changes[i]->parameter_count());
    gradients.add(parameters[i].defined()
                      ? Gradient(d_parameters.slice(0, first, end).reshape(parameters[i].shape()))
                      : Gradient());
    first = end;
  }
  return gradients;
}

}  // namespace

std::optional<DenseResult> dense_attention(const DenseInputs& inputs) {
  const Call call(inputs);
  const Tensor& q = call.query;
  Tensor context = laid_out_as(q, {q.size(0), q.size(1), q.size(2), inputs.values.size(3)});
  Tensor log_sum_exp({q.size(0), q.size(1), q.size(2)});
  const bool finite = call.with_kernel_call([&](const kernels::AttentionCall<Real>& kernel_call) {
    const auto run = kernels::decode_fits(kernel_call.sizes) ? kernels::attention_decode<Real>
                                                             : kernels::attention_forward<Real>;
    return run(kernel_call, mutable_view(context), log_sum_exp.mutable_data());
  });
  if (!finite) return std::nullopt;
  Variables all{inputs.query, inputs.keys, inputs.values};
  std::vector<Tensor> parameters;
  for (const TileChange& change : inputs.changes) {
    all.push_back(change.parameters);
    parameters.push_back(change.parameters.value());
  }
  const Variable result =
      record("dense_attention", context, all,
             [call, context, log_sum_exp, parameters](const Tensor& dy) -> Gradients {
               return dense_gradients(call, context, log_sum_exp, parameters, dy);
             });
  return DenseResult{result, log_sum_exp};
}

DenseResult composed_attention(const DenseInputs& inputs) {
  Variable scores =
      dot_products(inputs.scale == 1 ? inputs.query : inputs.query * inputs.scale, inputs.keys);
  for (const TileChange& change : inputs.changes) scores = apply(change, scores);
  static const std::unique_ptr<Normaliser> softmax = Catalogue<Normaliser>::find("softmax")->make();
  Variable weights = weigh(*softmax, inputs.pattern, {.scores = scores}).weights;
  if (inputs.dropout.probability > 0) weights = dropout(weights, inputs.dropout);
  return {combine(weights, inputs.values), log_sum_exp(*inputs.pattern, scores.value())};
}

}  // namespace heed::attention
