// SPDX-License-Identifier: Apache-2.0
// Linear: y = x W^T + b.
#pragma once  // public header

#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

struct LinearOptions {
  bool bias = true;
};

struct Linear {
  Variable weight;  // [out, in]
  Variable bias;    // [out], or not defined

  Linear() = default;
  // Glorot-uniform weight, zero bias.
  Linear(std::int64_t in, std::int64_t out, Random& random, const LinearOptions& options = {});

  // x [..., in] -> [..., out]
  Variable operator()(const Variable& x, Activation activation = Activation::none) const {
    return linear(x, weight, bias, activation);
  }
  void visit(ParameterVisitor& visitor);
};

}  // namespace heed::nn

#pragma GCC visibility pop
