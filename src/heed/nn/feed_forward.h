// SPDX-License-Identifier: Apache-2.0
// The position-wise feed-forward block of the Transformer (Vaswani 2017, Eq. 2), with any
// activation, and with a gate (GLU; Shazeer 2020).
#pragma once  // public header

#include <string>
#include <vector>

#include "heed/nn/dropout.h"
#include "heed/nn/linear.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

// In the order of the enumerators of Activation.
inline const std::vector<std::string>& activation_names() {
  static const std::vector<std::string> names = {"none", "relu",    "gelu", "gelu_tanh",
                                                 "tanh", "sigmoid", "swish"};
  return names;
}

struct FeedForwardOptions {
  std::int64_t width = 0;  // of input and output
  std::int64_t inner = 0;  // of the layer between
  Activation activation = Activation::relu;
  Real dropout = 0;    // after the activation
  bool gated = false;  // whether the activation opens a second layer's features
  bool bias = true;
};

// y = W_2 dropout(activation(W_1 x + b_1)) + b_2, or with a gate
// y = W_2 dropout(activation(W_1 x + b_1) * (W_3 x + b_3)) + b_2
struct FeedForward {
  Linear first;
  Linear gated;  // W_3, or not defined
  Linear second;
  Activation activation = Activation::relu;
  Dropout dropout;

  FeedForward() = default;
  FeedForward(const FeedForwardOptions& options, Random& random)
      : first(options.width, options.inner, random, {.bias = options.bias}),
        second(options.inner, options.width, random, {.bias = options.bias}),
        activation(options.activation),
        dropout{options.dropout} {
    if (options.gated) gated = Linear(options.width, options.inner, random, {.bias = options.bias});
  }

  // x [..., width] -> [..., width]
  Variable operator()(const Variable& x, Noise noise = nullptr) const {
    Variable inner = first(x, activation);
    if (gated.weight.defined()) inner = inner * gated(x);
    return second(dropout(inner, noise));
  }
  void visit(ParameterVisitor& visitor) {
    visitor("first", first);
    visitor("gated", gated);
    visitor("second", second);
  }
};

}  // namespace heed::nn

#pragma GCC visibility pop
