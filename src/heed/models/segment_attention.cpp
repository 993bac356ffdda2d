// SPDX-License-Identifier: Apache-2.0
// softmax(q k / sqrt d) v with weights that are only read.
#include "heed/models/segment_attention.h"

#include <cmath>

#include "heed/attention/compose/products.h"
#include "heed/autograd/ops.h"

namespace heed::models {

SegmentAttention::SegmentAttention(const TransformerStackOptions& options,
                                   const TransformerLayer& layer)
    : heads_(options.heads),
      key_heads_(options.key_heads > 0 ? options.key_heads : options.heads),
      norm_first_(options.norm == NormPlace::pre),
      norm_(layer.self_norm) {
  norm_.gain = Variable(norm_.gain.value());
  if (norm_.bias.defined()) norm_.bias = Variable(norm_.bias.value());
  for (const nn::Parameter& parameter : nn::parameters(*layer.self)) {
    const auto takes = [&](const std::string& name, Projection& projection) {
      if (parameter.name == name + ".weight") projection.weight = parameter.variable.value();
      if (parameter.name == name + ".bias") projection.bias = parameter.variable.value();
    };
    takes("W_Q", queries_);
    takes("W_K", keys_);
    takes("W_V", values_);
  }
  if (!queries_.weight.defined()) queries_ = keys_;  // one projection is both
}

Variable SegmentAttention::Projection::operator()(const Variable& x) const {
  return linear(x, Variable(weight), bias.defined() ? Variable(bias) : Variable());
}

Variable SegmentAttention::normed(const Variable& x) const {
  return norm_first_ ? norm_(x) : x;
}

Variable SegmentAttention::weights(const Tensor& segment, const Variable& states) const {
  const Variable query = attention::split_heads(queries_(normed(Variable(segment))), heads_);
  const Variable keys = attention::split_heads(keys_(normed(states)), key_heads_);
  const Real scale = 1 / std::sqrt(static_cast<Real>(query.size(3)));
  return softmax(attention::dot_products(query * scale, keys));
}

Variable SegmentAttention::context(const Tensor& segment, const Variable& states) const {
  return attention::combine(weights(segment, states),
                            attention::split_heads(values_(normed(states)), key_heads_));
}

Tensor SegmentAttention::usage(const Tensor& segment, const Tensor& states) const {
  const NoGradient values_only;
  return mean(mean(weights(segment, Variable(states)), 2), 1).value();
}

Variable SegmentAttention::reconstruction_loss(const Tensor& segment, const Tensor& states,
                                               const Variable& slots) const {
  Tensor wanted;
  {
    const NoGradient values_only;
    wanted = context(segment, Variable(states)).value();
  }
  return mean(square(context(segment, slots) - Variable(wanted)));
}

}  // namespace heed::models
