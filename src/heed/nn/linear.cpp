// SPDX-License-Identifier: Apache-2.0
// The parameters of a linear layer.
#include "heed/nn/linear.h"

#include "heed/nn/initialisers.h"

namespace heed::nn {

Linear::Linear(std::int64_t in, std::int64_t out, Random& random, const LinearOptions& options)
    : weight(parameter(glorot_uniform({out, in}, random))) {
  if (options.bias) bias = parameter(Tensor::zeros({out}));
}

void Linear::visit(ParameterVisitor& visitor) {
  visitor("weight", weight);
  visitor("bias", bias);
}

}  // namespace heed::nn
