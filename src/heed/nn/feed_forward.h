// SPDX-License-Identifier: Apache-2.0
// The position-wise feed-forward block of the Transformer (Vaswani 2017, Eq. 2), with any
// activation.
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
  Real dropout = 0;  // after the activation
};

// y = W_2 dropout(activation(W_1 x + b_1)) + b_2
struct FeedForward {
  Linear first;
  Linear second;
  Activation activation = Activation::relu;
  Dropout dropout;

  FeedForward() = default;
  FeedForward(const FeedForwardOptions& options, Random& random)
      : first(options.width, options.inner, random),
        second(options.inner, options.width, random),
        activation(options.activation),
        dropout{options.dropout} {}

  // x [..., width] -> [..., width]
  Variable operator()(const Variable& x, Noise noise = nullptr) const {
    return second(dropout(first(x, activation), noise));
  }
  void visit(ParameterVisitor& visitor) {
    visitor("first", first);
    visitor("second", second);
  }
};

}  // namespace heed::nn

#pragma GCC visibility pop
