// SPDX-License-Identifier: Apache-2.0
// Layers without projections around them, as the table counts them.
#include "cli/bench/layer_kinds.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "heed/attention/mechanism.h"
#include "heed/autograd/chain.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/convolution.h"
#include "heed/nn/initialisers.h"
#include "heed/nn/recurrent.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kKernel = 3;   // k, positions a convolution reads
constexpr std::int64_t kWindow = 16;  // r, positions to either side

using Make = std::function<SequenceLayer(std::int64_t, int, Random&)>;

Make attention(const std::string& written, bool fuse) {
  return [=](std::int64_t width, int, Random& random) -> SequenceLayer {
    const attention::MechanismShape shape{
        .query_width = width, .key_width = width, .value_width = width};
    const auto mechanism = std::make_shared<attention::Mechanism>(written, shape, random);
    return [=](const Variable& x) {
      const Variable heads = reshape(x, {1, 1, x.size(1), width});
      const attention::Attended read =
          mechanism->attend(heads, mechanism->memory(heads, heads), {}, {.fuse = fuse});
      return reshape(read.context, {1, x.size(1), width});
    };
  };
}

nn::RecurrentLayer recurrent_layer(std::int64_t width, Random& random) {
  return nn::RecurrentLayer(nn::Cell::lstm, width, width, random);
}

SequenceLayer recurrent(std::int64_t width, int, Random& random) {
  const nn::RecurrentLayer layer = recurrent_layer(width, random);
  const RecurrentWeights weights{layer.w_x, layer.w_h, layer.bias, {}};
  return [=](const Variable& x) {
    const Variable y = recurrent(nn::Cell::lstm, transpose(x, 0, 1), weights).outputs;
    return transpose(y, 0, 1);
  };
}

SequenceLayer recurrent_by_steps(std::int64_t width, int, Random& random) {
  const nn::RecurrentLayer layer = recurrent_layer(width, random);
  return [=](const Variable& x) {
    RecurrentState state{Tensor::zeros({1, width}), Tensor::zeros({1, width})};
    std::vector<Variable> outputs;
    for (std::int64_t t = 0; t < x.size(1); ++t) {
      const Variable input = reshape(slice(x, 1, t, t + 1), {1, width});
      state = recurrent_step(
          nn::Cell::lstm,
          {linear(input, layer.w_x, layer.bias), linear(state.h, layer.w_h, Variable()), {}},
          state);
      outputs.push_back(state.h);
    }
    return stack(outputs, 1);
  };
}

// Each layer looks k times as far as the one below (van den Oord 2016), as far as positions go.
SequenceLayer convolution(std::int64_t width, int depth, Random& random) {
  const nn::Convolution1d layer(width, width, kKernel, random);
  return [=](const Variable& x) {
    const auto most = static_cast<double>(std::max<std::int64_t>(1, x.size(1) - 1));
    const auto dilation = static_cast<std::int64_t>(std::min(std::pow(kKernel, depth), most));
    const Sliding sliding{.padding = dilation * (kKernel - 1) / 2, .dilation = dilation};
    return transpose(convolution_1d(transpose(x, 1, 2), layer.weight, layer.bias, sliding), 1, 2);
  };
}

std::vector<LayerKind> make_kinds() {
  const std::string window = "scaled_dot | window(" + std::to_string(kWindow) + ")";
  return {{.name = "self-attention",
           .work = "n² d",
           .steps = "1",
           .path = "1",
           .op = "dense_attention",
           .make = attention("scaled_dot", true)},
          {.name = "the same, weights kept",
           .work = "n² d",
           .steps = "1",
           .path = "1",
           .op = "combine",
           .make = attention("scaled_dot", false)},
          {.name = "recurrent (LSTM)",
           .work = "n d²",
           .steps = "n",
           .path = "n",
           .op = "recurrent_step",
           .make = [](std::int64_t width, int depth,
                      Random& random) { return recurrent(width, depth, random); },
           .make_steps = recurrent_by_steps},
          {.name = "convolutional (k 3, dilated)",
           .work = "k n d²",
           .steps = "1",
           .path = "log n",
           .op = "convolution_2d",
           .make = convolution},
          {.name = "windowed self-attention (r 16)",
           .work = "r n d",
           .steps = "1",
           .path = "n / r",
           .op = "dense_attention",
           .make = attention(window, true)}};
}

// The smallest width that shows everything; the counts do not depend on it.
constexpr std::int64_t kTinyWidth = 8;

Variable random_input(std::int64_t n, Random& random) {
  return Variable::leaf(nn::normal({1, n, kTinyWidth}, random));
}

SequenceLayer layer_by_steps(const LayerKind& kind, int depth, Random& random) {
  return (kind.make_steps ? kind.make_steps : kind.make)(kTinyWidth, depth, random);
}

// Whether the last position of y, computed from x, depends on its first.
bool last_feels_first(const Variable& y, Variable& x) {
  const std::int64_t n = y.size(1);
  backward(sum(slice(y, 1, n - 1, n)), {}, {.keep_graph = true});
  const Tensor first = x.gradient().packed();
  bool feels = false;
  for (std::int64_t i = 0; i < kTinyWidth; ++i) feels = feels || first.data()[i] != 0;
  x.clear_gradient();
  return feels;
}

}  // namespace

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> kinds = make_kinds();
  return kinds;
}

std::int64_t sequential_steps(const LayerKind& kind, std::int64_t n) {
  Random random(1);
  return longest_chain(layer_by_steps(kind, 0, random)(random_input(n, random)));
}

std::int64_t longest_path(const LayerKind& kind, std::int64_t n) {
  Random random(1);
  Variable x = random_input(n, random);
  Variable y = x;
  for (int depth = 0; depth < n; ++depth) {
    y = layer_by_steps(kind, depth, random)(y);
    if (last_feels_first(y, x)) return longest_chain(y, kind.op);
  }
  throw InternalError("longest_path: {} never carries the first of {} positions to the last",
                      kind.name, n);
}

double fitted_exponent(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size() || x.size() < 2) {
    throw UsageError("fitted_exponent: {} and {} points; it takes two or more of both", x.size(),
                     y.size());
  }
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0 && y[i] > 0)) {
      throw UsageError("fitted_exponent: ({}, {}); both must be above zero", x[i], y[i]);
    }
    mean_x += std::log(x[i]) / static_cast<double>(x.size());
    mean_y += std::log(y[i]) / static_cast<double>(y.size());
  }
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    squares += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return products / squares;
}

}  // namespace heed::cli
