// SPDX-License-Identifier: Apache-2.0
// mlp: a network of any depth over query and key.
#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/scores/additive_scores.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

// Elements of the widest layer that are held at once: 1 MiB of floats.
constexpr std::int64_t kTile = 1 << 18;

// query [B,H,q,S], keys [B,G,K,S], then v and for each further layer its weight and bias.
// `present` [B,H,q,K], where defined: pairs of 0 are left out.
Variable pairs(std::span<const Variable> in, Activation activation, const Tensor& present) {
  const Variable& query = in[0];
  const std::int64_t batch = query.size(0), heads = query.size(1), queries = query.size(2);
  const std::int64_t groups = in[1].size(1), keys = in[1].size(2), size = query.size(3);
  const Shape split{batch, groups, heads / groups, keys, size};
  const Variable spread =
      reshape(expand(reshape(in[1], split.with(2, 1)), split), {batch, heads, 1, keys, size});
  Variable z = reshape(query, {batch, heads, queries, 1, size}) + spread;
  if (present.defined()) {
    z = where(present.reshape(present.shape().then(1)), z, Variable(Tensor::scalar(0)));
  }
  Variable x = activate(activation, reshape(z, {batch, heads, queries * keys, size}));
  for (std::size_t i = 3; i < in.size(); i += 2) {
    x = activate(activation, project_heads(x, in[i]) + along_heads(in[i + 1], 1));
  }
  const Shape row = in[2].shape().inserted(in[2].rank() - 1, 1);  // v as a matrix of one row
  return reshape(project_heads(x, reshape(in[2], row)), {batch, heads, queries, keys});
}

std::int64_t tile_of(std::span<const Variable> in) {
  std::int64_t widest = in[0].size(3);
  for (std::size_t i = 4; i < in.size(); i += 2) widest = std::max(widest, in[i].size(-1));
  const std::int64_t row = in[0].size(0) * in[0].size(1) * in[1].size(2) * widest;
  return std::max<std::int64_t>(kTile / std::max<std::int64_t>(row, 1), 1);
}

// A few queries at a time, and again in backward: what is inside the network is never kept.
Variable tiled(const Variables& inputs, Activation activation) {
  const std::int64_t queries = inputs[0].size(2);
  const std::int64_t tile = tile_of(inputs);
  const auto for_tiles = [=](const auto& body) {
    for (std::int64_t begin = 0; begin < queries; begin += tile) {
      body(begin, std::min(queries, begin + tile));
    }
  };
  Tensor scores({inputs[0].size(0), inputs[0].size(1), queries, inputs[1].size(2)});
  {
    const NoGradient no_graph;
    Variables part(inputs.begin(), inputs.end());
    for_tiles([&](std::int64_t begin, std::int64_t end) {
      part[0] = inputs[0].value().slice(2, begin, end);
      scores.slice(2, begin, end).assign(pairs(part, activation, {}).value());
    });
  }
  std::vector<Tensor> values;
  for (const Variable& input : inputs) values.push_back(input.value());
  return record("mlp_scores", scores, inputs, [=](const Tensor& dy) -> Gradients {
    Variables leaves;
    for (const Tensor& value : values) leaves.push_back(Variable::leaf(value));
    Tensor d_query = Tensor::zeros(values[0].shape());
    for_tiles([&](std::int64_t begin, std::int64_t end) {
      leaves[0] = Variable::leaf(values[0].slice(2, begin, end));
      const Tensor seed = dy.slice(2, begin, end).packed();
      backward(pairs(leaves, activation, seed), seed);
      d_query.slice(2, begin, end).assign(leaves[0].gradient());
    });
    Gradients gradients(d_query);
    for (std::size_t i = 1; i < leaves.size(); ++i) gradients.add(leaves[i].gradient());
    return gradients;
  });
}

struct Mlp {
  struct Layer {
    Variable weight;  // [out,in] or [H,out,in]
    Variable bias;    // [out] or [H,out]
    void visit(nn::ParameterVisitor& visitor) {
      visitor("weight", weight);
      visitor("bias", bias);
    }
  };

  std::vector<std::string> sizes = {"128", "64"};
  AdditiveActivation bend = AdditiveActivation::relu;
  AdditiveWeights weights;    // the first layer: W1 k + W2 q + b; v of the last
  Variable b;                 // [sizes 0] or [H, sizes 0]
  std::vector<Layer> layers;  // the hidden layers after the first

  static Card card() {
    return {.name = "mlp",
            .summary = "A network of any depth over query and key; its last layer has no bias.",
            .formula = "vᵀ act(… act(W₁k + W₂q + b) …)",
            .source = "Bahdanau et al. 2015, here with more layers",
            .examples = {"sizes=[4], activation=tanh", "sizes=[4, 3, 2], activation=swish"}};
  }
  void declare(Options& options) {
    options.add("sizes", sizes, "units of each hidden layer");
    declare_activation(options, bend);
  }
  static std::int64_t size_of(const std::string& text) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || end != text.data() + text.size() || size < 1 || size > 65536) {
      throw UsageError("mlp: size \"{}\"; it takes whole numbers from 1 to 65536", text);
    }
    return size;
  }
  void build(const ScoreShape& shape, Random& random) {
    if (sizes.empty()) throw UsageError("mlp: no sizes; it takes one hidden layer or more");
    std::int64_t width = size_of(sizes[0]);
    weights = AdditiveWeights(shape, width, random);
    b = head_parameter(shape.heads, [&] { return Tensor::zeros({width}); });
    layers.clear();
    for (std::size_t i = 1; i < sizes.size(); ++i) {
      const std::int64_t in = std::exchange(width, size_of(sizes[i]));
      layers.push_back({head_parameter(shape.heads,
                                       [&] {
                                         return nn::glorot_uniform({width, in}, random);
                                       }),
                        head_parameter(shape.heads, [&] { return Tensor::zeros({width}); })});
    }
    weights.v = head_parameter(shape.heads, [&] {
      return nn::fan_in_uniform({1, width}, random).reshape({width});
    });
  }
  void visit(nn::ParameterVisitor& visitor) {
    weights.visit(visitor);
    visitor("b", b);
    visitor("layers", layers);
  }
  Variable project(const Variable& keys) const { return project_heads(keys, weights.W1); }
  Variable score(const Variable& query, const Variable& keys, const ScoreCall&) const {
    const Variable first = project_heads(query, weights.W2) + along_heads(b, 1);
    const Activation activation = activation_of(bend);
    if (layers.empty()) return additive_scores(first, keys, weights.v, activation);
    Variables inputs{first, keys, weights.v};
    for (const Layer& layer : layers) {
      inputs.push_back(layer.weight);
      inputs.push_back(layer.bias);
    }
    return tiled(inputs, activation);
  }
};

const ListedScore<Mlp> kListed;

}  // namespace
}  // namespace heed::attention
