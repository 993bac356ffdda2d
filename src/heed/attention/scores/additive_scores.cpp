// SPDX-License-Identifier: Apache-2.0
// The additive score as an op over the tiled kernel, and the parameters of its family.
#include "heed/attention/scores/additive_scores.h"

#include "heed/base/error.h"
#include "heed/kernels/attention/additive_score.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

void check_shapes(const Variable& query, const Variable& keys, const Variable& v) {
  const bool fits = query.rank() == 4 && keys.rank() == 4 && query.size(0) == keys.size(0) &&
                    keys.size(1) > 0 && query.size(1) % keys.size(1) == 0 &&
                    query.size(3) == keys.size(3) &&
                    v.value().size() == query.size(1) * query.size(3);
  if (!fits) {
    throw UsageError(
        "additive score: query {}, keys {} and v {}; it takes [B,H,Q,S], [B,G,K,S] with H a "
        "multiple of G, and [H,S]",
        query.shape().text(), keys.shape().text(), v.shape().text());
  }
}

}  // namespace

// d_z = d_score v activation'(z): summed over keys it is d_query, over queries d_keys;
// dv = sum d_score activation(z).
Variable additive_scores(const Variable& query, const Variable& keys, const Variable& v,
                         Activation activation) {
  check_shapes(query, keys, v);
  const Tensor q = query.value().packed();
  const Tensor k = keys.value().packed();
  const Tensor weights = v.value().packed();
  const kernels::AdditiveScore<Real> problem{.batch = as_size(q.size(0)),
                                             .heads = as_size(q.size(1)),
                                             .key_heads = as_size(k.size(1)),
                                             .queries = as_size(q.size(2)),
                                             .keys = as_size(k.size(2)),
                                             .size = as_size(q.size(3)),
                                             .activation = activation,
                                             .query = q.data(),
                                             .key = k.data(),
                                             .v = weights.data()};
  Tensor scores({q.size(0), q.size(1), q.size(2), k.size(2)});
  kernels::additive_score(problem, scores.mutable_data());
  // The closure holds the tensors the problem points into.
  return record(
      "additive_scores", scores, {query, keys, v},
      [problem, q, k, weights, v_shape = v.shape()](const Tensor& dy, Needs needs) -> Gradients {
        const auto wanted = [](bool needed, const Shape& shape) {
          return needed ? Tensor(shape) : Tensor();
        };
        Tensor d_query = wanted(needs[0], q.shape());
        Tensor d_keys = wanted(needs[1], k.shape());
        Tensor d_v = wanted(needs[2], v_shape.inserted(0, q.size(0)));
        kernels::additive_score_backward(problem, dy.packed().data(),
                                         {.query = d_query.mutable_data(),
                                          .key = d_keys.mutable_data(),
                                          .v = d_v.mutable_data()});
        return {needs[0] ? Gradient(d_query) : Gradient(), needs[1] ? Gradient(d_keys) : Gradient(),
                needs[2] ? Gradient(sum(d_v, 0)) : Gradient()};
      });
}

Variable with_features(const Variable& keys, const Variable& features) {
  const std::int64_t groups = keys.size(1);
  if (groups == features.size(1)) return keys + features;
  const Shape split{keys.size(0), groups, features.size(1) / groups, keys.size(2), keys.size(3)};
  return reshape(reshape(keys, split.with(2, 1)) + reshape(features, split), features.shape());
}

void declare_activation(Options& options, AdditiveActivation& bend) {
  options.add("activation", bend, {"tanh", "relu", "sigmoid", "gelu", "swish"},
              "the function between the two layers");
}

Activation activation_of(AdditiveActivation bend) {
  switch (bend) {
    case AdditiveActivation::relu:
      return Activation::relu;
    case AdditiveActivation::sigmoid:
      return Activation::sigmoid;
    case AdditiveActivation::gelu:
      return Activation::gelu;
    case AdditiveActivation::swish:
      return Activation::swish;
    case AdditiveActivation::tanh:
      break;
  }
  return Activation::tanh;
}

AdditiveWeights::AdditiveWeights(const ScoreShape& shape, std::int64_t size, Random& random) {
  v = head_parameter(shape.heads, [&] {
    return nn::fan_in_uniform({1, size}, random).reshape({size});
  });
  W1 = head_parameter(shape.key_heads, [&] {
    return nn::glorot_uniform({size, shape.key_width}, random);
  });
  W2 = head_parameter(shape.heads, [&] {
    return nn::glorot_uniform({size, shape.query_width}, random);
  });
}

void AdditiveWeights::visit(nn::ParameterVisitor& visitor) {
  visitor("v", v);
  visitor("W1", W1);
  visitor("W2", W2);
}

void check_one_query(const Variable& query, const std::string& part) {
  if (query.size(2) != 1) {
    throw UsageError("{}: {} queries at once; it looks back at the last step, so give one", part,
                     query.size(2));
  }
}

}  // namespace heed::attention
